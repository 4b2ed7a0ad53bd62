//! Arguments that subcommands share.
//!
//! | file | what |
//! |---|---|
//! | `input.rs` | how to read an input |
//! | `columns.rs` | columns of positions, and of charges or masses |
//! | `cloud.rs` | the clouds that the command makes itself |
//! | `precision.rs`, `tolerance.rs` | floats of the computation, and its error |
//! | `opening.rs` | the treecode's opening criterion |
//! | `threads.rs`, `memory_limit.rs` | what the computation may take |

pub(crate) mod cloud;
pub(crate) mod columns;
pub(crate) mod input;
pub(crate) mod memory_limit;
pub(crate) mod opening;
pub(crate) mod precision;
pub(crate) mod threads;
pub(crate) mod tolerance;
