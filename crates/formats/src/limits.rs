//! Limits of what is read: an input that announces or repeats anything takes bounded memory.

/// Bytes of a line of text at most: thousands of columns fit in.
pub(crate) const LONGEST_LINE: u64 = 1 << 20;

/// Bytes of an archive that comes through a pipe, which has to be held in memory as a whole.
pub(crate) const LONGEST_STREAM: u64 = 1 << 30;

/// Bytes that a compressed input may always expand to.
pub(crate) const EXPANDED: u64 = 256 << 20;

/// Factor by which a larger input may expand. Measured numbers shrink to a third at best, equal ones to a thousandth.
pub(crate) const EXPANSION: u64 = 100;

/// Bytes of the header of an array at most; numpy itself takes 10,000.
pub(crate) const LONGEST_HEADER: u64 = 1 << 16;

/// Arrays of an archive at most: what zip counts without its 64-bit extension.
pub(crate) const MOST_ARRAYS: u64 = 1 << 16;
