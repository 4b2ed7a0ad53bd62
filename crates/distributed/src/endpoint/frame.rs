//! Frames, which travel between ranks.

/// Bytes with their kind.
#[derive(Debug)]
pub(crate) struct Frame {
    /// What the frame is.
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
    /// The sender failed in the epoch of the number.
    Abort,
    /// The sender is gone after as many agreements as the number says. The content is the rank that left first.
    Left,
}

impl Frame {
    /// A frame without content.
    pub(crate) fn note(kind: Kind, number: u64) -> Frame {
        Frame { kind, number, bytes: Vec::new() }
    }

    /// The farewell of a rank; `cause` is the rank that left first.
    pub(crate) fn farewell(agreements: u64, cause: usize) -> Frame {
        Frame { kind: Kind::Left, number: agreements, bytes: (cause as u64).to_le_bytes().to_vec() }
    }

    /// The rank that left first, by a farewell of `sender`.
    pub(crate) fn cause(&self, sender: usize) -> usize {
        let number = self.bytes.as_slice().try_into().map(u64::from_le_bytes).ok();
        number.and_then(|rank| usize::try_from(rank).ok()).unwrap_or(sender)
    }
}
