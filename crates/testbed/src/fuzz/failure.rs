//! Broken promises.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Broken promise with its circumstances.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The promise that is broken.
    pub kind: Kind,
    /// Circumstances in one line.
    pub message: String,
}

/// Kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A panic.
    Panic,
    /// More time than the size of the input explains.
    Slow,
    /// More memory than the size of the input explains.
    Memory,
    /// A result that is not finite.
    NotFinite,
    /// An error above the tolerance, of which the report is silent.
    Miss,
    /// A typed error where there should be none, none where there should be one, or results of the wrong form.
    Wrong,
}

impl Failure {
    /// A failure of a kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

/// Calls a function and turns a panic into a failure.
///
/// # Errors
///
/// The failure of the function, or its panic.
pub fn guarded<R>(call: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| Err(panicked(&*payload)))
}

fn panicked(payload: &(dyn Any + Send)) -> Failure {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    Failure::new(Kind::Panic, text.unwrap_or("without a message").replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure() {
        let failure = guarded::<()>(|| panic!("line {}", 3)).unwrap_err();
        assert_eq!(failure.to_string(), "Panic: line 3");
        assert_eq!(guarded(|| Ok(5)), Ok(5));
    }
}
