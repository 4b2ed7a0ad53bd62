//! Reading of sources for the rules: files, masks of comments and tests, imports, doc comments, numbers.

pub(super) mod doc_comments;
pub(super) mod imports;
pub(super) mod mask;
pub(super) mod numbers;
pub(super) mod quantities;
pub(super) mod source;
pub(super) mod uses;
