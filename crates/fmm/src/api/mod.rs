//! Types that callers see: what can be asked for, what comes back, and what can be wrong.

mod device;
mod error;
mod field;
mod memory;
mod opening;
mod options;
mod plan_step;
mod precision;
mod report;
mod request;
mod sampled_error;
mod settings;
mod stage;

pub use device::{Device, UnknownDevice};
pub use error::Error;
pub use field::Field;
pub use memory::{DeviceMemory, MemoryEstimate};
pub use opening::Opening;
pub use options::{M2l, Method, Output, Outputs, Tolerance, Treecode, UnknownMethod};
pub use plan_step::PlanStep;
pub use precision::Precision;
pub use report::{RankCuts, RankReport, RanksReport, Report};
pub(crate) use request::Request;
pub(crate) use sampled_error::worse;
pub use sampled_error::{Errors, SampledError};
pub use settings::Setting;
pub use stage::{Seconds, Stage};
