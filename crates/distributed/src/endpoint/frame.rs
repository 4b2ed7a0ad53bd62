//! Frames, which travel between ranks.

/// Bytes with their kind.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Kind and content of the frame.
    pub(crate) kind: Kind,
    /// A number whose meaning depends on the kind.
    pub(crate) number: u64,
    /// Content.
    pub(crate) bytes: Vec<u8>,
}

/// Kinds of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A message of a post; the number is the sender's epoch.
    Data,
    /// A message of an agreement; the number is not used.
    Agreement,
    /// The sender failed in the epoch of the number. The content is the rank that failed or left first.
    Abort,
    /// The sender is gone after as many agreements as the number says. The content is the rank that failed or left first.
    Left,
}

impl Frame {
    /// A note that the sender failed or left, because of `cause`, which may be the sender.
    pub(crate) fn note(kind: Kind, number: u64, cause: usize) -> Frame {
        Frame { kind, number, bytes: (cause as u64).to_le_bytes().to_vec() }
    }

    /// The rank that is the cause of a note of `sender`.
    pub(crate) fn cause(&self, sender: usize) -> usize {
        let number = self.bytes.as_slice().try_into().map(u64::from_le_bytes).ok();
        number.and_then(|rank| usize::try_from(rank).ok()).unwrap_or(sender)
    }
}
