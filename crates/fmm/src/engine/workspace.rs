//! Memory that evaluations use again.

use std::any::Any;
use std::fmt;

/// Buffers of an evaluation; see [`Plan::evaluate_into`](crate::Plan::evaluate_into).
///
/// A workspace belongs to no plan: its buffers grow to the largest evaluation and stay so. Plans in another precision, on another
/// kind of device or of merged points have buffers of another type, and begin with new ones: a workspace for each saves that.
#[derive(Default)]
pub struct Workspace {
    buffers: Option<Box<dyn Any + Send + Sync>>,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// The buffers of one kind of engine; empty ones if the last evaluation was another engine's.
    pub(crate) fn buffers<B: Any + Default + Send + Sync>(&mut self) -> &mut B {
        let room = self.buffers.get_or_insert_with(|| Box::new(B::default()));
        if !room.is::<B>() {
            *room = Box::new(B::default());
        }
        match room.downcast_mut() {
            Some(buffers) => buffers,
            None => unreachable!("the buffers were made of this type just now"),
        }
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").finish_non_exhaustive()
    }
}
