//! `cargo xtask ptx`: compiles the GPU's kernels and keeps the result in `kernels-gpu/ptx`, so that nobody else needs a
//! compiler for the GPU.
//!
//! Each kernel is a module of its own in an archive. Beside it stand the hashes of its sources, from which `--check` tells
//! whether it is up to date, and a table of what each kernel takes of the GPU, if an assembler was there to say.

mod assembler;
mod compiler;
mod modules;
mod sources;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;

use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::error::Error;
use crate::workspace;
use assembler::Assembler;
use compiler::Compiler;
use modules::Ptx;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only checks that the committed PTX is of these sources; compiles nothing
    #[arg(long, conflicts_with = "verify")]
    check: bool,
    /// Compiles and assembles, and compares the kernels with the committed ones; writes nothing
    #[arg(long)]
    verify: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    if arguments.check {
        return check();
    }
    let compiler = Compiler::find()?;
    if arguments.verify { verify_with(&compiler) } else { write(&compiler) }
}

/// Fails if a source has changed since the committed PTX was made.
pub(crate) fn check() -> Result<(), Error> {
    sources::check(workspace::root())
}

/// Runs `--verify` if there is a compiler for the GPU, and otherwise says that there is none.
pub(crate) fn verify_if_possible() -> Result<(), Error> {
    match Compiler::find() {
        Ok(compiler) => verify_with(&compiler),
        Err(error) => {
            eprintln!("SKIPPED: the kernels are not compiled. {error}");
            Ok(())
        }
    }
}

/// The assembler's path, for the tests that use one.
pub(crate) fn assembler() -> Option<PathBuf> {
    Assembler::find().map(|assembler| assembler.path)
}

fn write(compiler: &Compiler) -> Result<(), Error> {
    let compiled = compiler.compile()?;
    sources::check_age(workspace::root(), &compiled.sources, compiled.began)?;
    // Nothing is replaced before the assembler has agreed.
    let page = match Assembler::find() {
        Some(assembler) => {
            let said = assembler.assemble(&compiled.path, "sm_90")?;
            Some(assembler::page(&compiled.compiler, &assembler.version(), &said))
        }
        None => None,
    };
    let folder = workspace::root().join(sources::FOLDER);
    let put = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|source| Error::File { path, source })
    };
    let ptx = Ptx::new(compiled.ptx);
    let path = folder.join(sources::PTX);
    let archive = archive(&ptx).map_err(|source| Error::Archive { path, source })?;
    fs::create_dir_all(&folder).map_err(|source| Error::File { path: folder.clone(), source })?;
    put(sources::PTX, &archive)?;
    put(
        sources::HASHES,
        sources::record(workspace::root(), &compiled.sources, &archive)?.as_bytes(),
    )?;
    match page {
        Some(page) => put("README.md", page.as_bytes())?,
        None => eprintln!("SKIPPED: the table of resources stays as it was. {}", assembler::ABSENT),
    }
    println!(
        "wrote {}: {} kernels, {} KB",
        folder.display(),
        ptx.entries().count(),
        archive.len() / 1000
    );
    Ok(())
}

fn verify_with(compiler: &Compiler) -> Result<(), Error> {
    let compiled = compiler.compile()?;
    let ptx = Ptx::new(compiled.ptx);
    let ours: BTreeSet<&str> = ptx.entries().collect();
    let theirs = sources::committed(workspace::root())?;
    let theirs: BTreeSet<&str> = theirs.iter().map(String::as_str).collect();
    if ours != theirs {
        let changed: Vec<&str> = ours.symmetric_difference(&theirs).copied().collect();
        return Err(Error::StalePtx { changed: format!("kernels {}", changed.join(", ")) });
    }
    println!("{} kernels compile", ours.len());
    match Assembler::find() {
        // The oldest GPU served; the table of resources is of a newer one.
        Some(assembler) => assembler.assemble(&compiled.path, "sm_80").map(drop),
        None => {
            eprintln!("SKIPPED: the PTX is not assembled. {}", assembler::ABSENT);
            Ok(())
        }
    }
}

/// A file for each kernel. The same bytes for the same text: no time is kept.
fn archive(ptx: &Ptx) -> ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for name in ptx.entries() {
        writer.start_file(format!("{name}{}", sources::SUFFIX), options)?;
        writer.write_all(ptx.module(name).unwrap_or_default().as_bytes())?;
    }
    Ok(writer.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_have_each_kernel_and_can_be_repeated() {
        let ptx = ".version 7.0\n.visible .entry TWO(\n)\n{\n}\n.visible .entry ONE()\n{\n}\n";
        let made = || archive(&Ptx::new(ptx.to_owned())).unwrap();
        assert_eq!(made(), made());
        assert_eq!(sources::entries(&made()).unwrap(), ["ONE", "TWO"]);
    }
}
