//! M2L: multipoles of far boxes to local expansions.
//!
//! | here | form | cost, multiply-adds |
//! |---|---|---|
//! | [`M2l`] with [`M2lForm::Dense`] | one matrix an offset | p⁴ a pair |
//! | [`M2l`] with [`M2lForm::Rotation`] | rotation, coaxial translation, rotation back | 2p³ a pair |
//! | [`Waves`] | plane waves: all far pairs of a level at once | that of 10 to 50 pairs by rotation, a box |

mod offset;
mod pairs;
mod waves;

pub use offset::FarOffset;
pub use pairs::{M2l, M2lForm};
pub use waves::tables as wave_tables;
pub use waves::{NO_ROW, Receiver, WaveAxis, WaveBuffer, WavePart, WaveScratch, Waves};
pub(crate) use waves::{ReceiveWaves, SendWaves};
