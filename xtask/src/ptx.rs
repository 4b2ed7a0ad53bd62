//! `cargo xtask ptx`: compiles the GPU's kernels and keeps the result in `kernels-gpu/ptx`, so that nobody else needs a
//! compiler for the GPU.
//!
//! Beside the compressed PTX stand the hashes of its sources, from which `--check` tells whether it is up to date, and a
//! table of what each kernel takes of the GPU, if an assembler was there to say.

mod assembler;
mod compiler;
mod sources;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::Error;
use crate::workspace;
use assembler::Assembler;
use compiler::Compiler;

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
    let compressed = compress(&compiled.ptx);
    fs::create_dir_all(&folder).map_err(|source| Error::File { path: folder.clone(), source })?;
    put(sources::PTX, &compressed)?;
    put(
        sources::HASHES,
        sources::record(workspace::root(), &compiled.sources, &compressed)?.as_bytes(),
    )?;
    match page {
        Some(page) => put("README.md", page.as_bytes())?,
        None => eprintln!("SKIPPED: the table of resources stays as it was. {}", assembler::ABSENT),
    }
    println!(
        "wrote {}: {} kernels, {} KB of PTX, {} KB compressed",
        folder.display(),
        entries(&compiled.ptx).len(),
        compiled.ptx.len() / 1000,
        compressed.len() / 1000
    );
    Ok(())
}

fn verify_with(compiler: &Compiler) -> Result<(), Error> {
    let compiled = compiler.compile()?;
    let committed = sources::committed(workspace::root())?;
    let (ours, theirs) = (entries(&compiled.ptx), entries(&committed));
    if ours != theirs {
        let differ = |name: &&&str| ours.contains(name) != theirs.contains(name);
        let changed: Vec<&str> = ours.iter().chain(&theirs).filter(differ).copied().collect();
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

/// Names of the entry points, sorted.
fn entries(ptx: &str) -> Vec<&str> {
    let mut names: Vec<&str> = ptx
        .lines()
        .filter_map(|line| Some(line.split_once(".entry ")?.1.split('(').next()?.trim()))
        .collect();
    names.sort_unstable();
    names
}

/// The same bytes for the same text: no name and no time are kept.
fn compress(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // A vector takes all that is written.
    let written = encoder.write_all(text.as_bytes());
    debug_assert!(written.is_ok());
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_points_are_named() {
        let ptx = ".visible .entry TWO(\n)\n{\n}\n.func helper(\n.visible .entry ONE()\n";
        assert_eq!(entries(ptx), ["ONE", "TWO"]);
    }

    #[test]
    fn compression_can_be_undone_and_repeated() {
        let text = ".version 7.0\n".repeat(100);
        let compressed = compress(&text);
        assert_eq!(compress(&text), compressed);
        assert_eq!(sources::decompress(&compressed).unwrap(), text);
    }
}
