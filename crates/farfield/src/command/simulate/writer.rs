//! Writer of outputs: a thread that writes one while the next steps run.

use std::path::PathBuf;
use std::thread::{Builder, JoinHandle};

use formats::Snapshot;

use super::account::Account;
use super::folder::Folder;
use crate::command::error::Error;
use crate::command::narrow::room;
use farfield::DeviceState;

/// An output to write.
pub(super) struct Output {
    pub(super) number: u64,
    /// The table of diagnostics up to this output.
    pub(super) table: String,
    pub(super) state: Snapshot,
    /// Positions and velocities of the state, where they are in the memory of a device.
    pub(super) on_device: Option<DeviceState>,
    /// The account that has the output when it is complete.
    pub(super) account: Account,
}

/// Outputs on their way to a folder: one at most, so that memory holds one copy of the state and an error is told at the
/// next output. Files of an output are complete before those of the next are begun, so that a run which is killed has
/// the files of [`Folder::write`]'s order.
pub(super) struct Writer {
    path: PathBuf,
    extension: &'static str,
    under_way: Option<JoinHandle<Result<Snapshot, Error>>>,
    /// Memory of the last state that was written, at first without content.
    written: Snapshot,
}

impl Writer {
    /// A writer of states of so many particles, whose memory it takes at once: later, a plan has what was left.
    pub(super) fn new(
        folder: &Folder,
        extension: &'static str,
        particles: usize,
    ) -> Result<Self, Error> {
        let written = Snapshot {
            positions: room(particles)?,
            velocities: room(particles)?,
            masses: room(particles)?,
            ids: room(particles)?,
            ..Snapshot::default()
        };
        Ok(Self { path: folder.path().to_owned(), extension, under_way: None, written })
    }

    /// Waits for the output under way. Gives the memory of a state that was written, with its content if there was one.
    pub(super) fn memory(&mut self) -> Result<Snapshot, Error> {
        self.finish()?;
        Ok(std::mem::take(&mut self.written))
    }

    /// Begins to write an output. The one before is complete.
    pub(super) fn begin(&mut self, output: Output) -> Result<(), Error> {
        self.finish()?;
        let (folder, extension) = (Folder::new(&self.path), self.extension);
        let write = move || {
            let Output { number, table, mut state, on_device, account } = output;
            if let Some(on_device) = on_device {
                on_device.download(&mut state.positions, &mut state.velocities)?;
            }
            folder.write(number, extension, &table, &state)?;
            account.written(number, state.time);
            Ok(state)
        };
        let thread = Builder::new().name("outputs".to_owned()).spawn(write);
        let refused = |error| formats::Error::writing(&self.path, error);
        self.under_way = Some(thread.map_err(refused)?);
        Ok(())
    }

    /// Waits for the output under way.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        if let Some(thread) = self.under_way.take() {
            self.written =
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(())
    }
}

impl Drop for Writer {
    /// A run that ends by an error leaves the last output complete.
    fn drop(&mut self) {
        if let Some(thread) = self.under_way.take() {
            // The run has an error of its own to tell.
            let _ = thread.join();
        }
    }
}
