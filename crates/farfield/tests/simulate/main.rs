//! Simulations: by the command from file to folder, and by the library.

#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "emulator")]
mod device;
mod gravity;
#[cfg(unix)]
mod kill;
mod resume;
mod runs;
