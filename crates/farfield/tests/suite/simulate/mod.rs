//! Simulations: by the command from file to folder, and by the library.

#[cfg(feature = "emulator")]
mod device;
mod gravity;
#[cfg(unix)]
mod kill;
mod resume;
mod runs;
mod starts;
mod told;
