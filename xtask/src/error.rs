//! Errors of the tasks; each message names the cure.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{step} failed; to run it alone: {rerun}")]
    Step { step: &'static str, rerun: String },
    #[error("{program} did not start ({source}); install it or add it to PATH")]
    Start { program: String, source: std::io::Error },
    #[error(
        "tidy: {count} to mend, listed above with their cures; to run it alone: cargo xtask tidy"
    )]
    Untidy { count: usize },
    #[error(
        "C code in the dependency tree: {packages}; `cargo tree --invert PACKAGE` shows who uses it, \
         switch that feature off"
    )]
    Native { packages: String },
    #[error("there is no cargo-deny; install it: cargo install cargo-deny --locked")]
    NoCargoDeny,
    #[error("no bench is named {name:?}; the benches are: {known}")]
    UnknownBench { name: String, known: String },
    #[error("{path}: {source}; check that the checkout is complete and writable")]
    File { path: PathBuf, source: std::io::Error },
    #[error("{path} is no Rust, {source}; cargo check names the place")]
    Syntax { path: String, source: proc_macro2::LexError },
    #[error("book: {count} to mend, listed above; to run it alone: cargo xtask book")]
    Book { count: usize },
    #[error(
        "cargo names no package {package}, whose font the book needs; run cargo fetch and try again"
    )]
    NoFont { package: &'static str },
    #[error(
        "no compiler for the GPU: of {tried}, none is Rust 1.{oldest} or later and has the sources of core; \
         `rustup component add rust-src` adds them (on Debian: apt-get install rustc-web rust-web-src), \
         or name such a rustc in FARFIELD_PTX_RUSTC"
    )]
    NoDeviceCompiler { tried: String, oldest: u32 },
    #[error(
        "the committed PTX is of other sources: {changed}; run cargo xtask ptx and commit kernels-gpu/ptx"
    )]
    StalePtx { changed: String },
    #[error("cargo names no package {package}; check that kernels-gpu has its feature cust")]
    NoDeclarations { package: &'static str },
    #[error("{path} was edited while the kernels were compiled; run cargo xtask ptx again")]
    Edited { path: String },
    #[error("the compiler left no PTX in {folder}; delete that folder and try again")]
    NoPtx { folder: PathBuf },
    #[error("{path} is no archive of kernels, {source}; run cargo xtask ptx")]
    Archive { path: PathBuf, source: zip::result::ZipError },
    #[error("{ptxas} does not assemble the PTX for {architecture}:\n{output}")]
    Assembler { ptxas: PathBuf, architecture: &'static str, output: String },
}
