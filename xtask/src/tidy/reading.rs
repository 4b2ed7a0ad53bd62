//! Reading of sources for the rules: files, tokens, imports, numbers.

pub(super) mod code;
pub(super) mod imports;
pub(super) mod numbers;
pub(super) mod quantities;
pub(super) mod source;
pub(super) mod text;
pub(super) mod uses;
