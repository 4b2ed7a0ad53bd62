//! Whether the committed PTX is of the sources beside it: hashes of what the compiler read, and of what it made.

use std::fmt::Write;
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::time::SystemTime;

use zip::ZipArchive;
use zip::result::ZipResult;

use super::compiler::FLAGS;
use crate::error::Error;

/// Folder of the committed files.
pub(super) const FOLDER: &str = "kernels-gpu/ptx";
/// The PTX of all kernels.
pub(super) const PTX: &str = "kernels.zip";
/// Ends the names of its files, which begin with the kernels'.
pub(super) const SUFFIX: &str = ".ptx";
/// A line for each file: its hash and its path from the root of the workspace.
pub(super) const HASHES: &str = "sources.txt";

/// Compiled too, though the compiler does not read it.
const MANIFEST: &str = "kernels-gpu/Cargo.toml";

/// The text of [`HASHES`] for these sources and what was made of them.
pub(super) fn record(root: &Path, sources: &[String], ptx: &[u8]) -> Result<String, Error> {
    let mut text = format!("{:016x} {FLAGS_LINE}\n", hash_flags());
    let made = format!("{FOLDER}/{PTX}");
    let _ = writeln!(text, "{:016x} {made}", hash_file(&made, ptx));
    for path in sources.iter().map(String::as_str).chain([MANIFEST]) {
        let _ = writeln!(text, "{:016x} {path}", hash_file(path, &read(root, path)?));
    }
    Ok(text)
}

/// Names what has changed since the hashes were written, if anything has.
pub(super) fn check(root: &Path) -> Result<(), Error> {
    let text = read(root, &format!("{FOLDER}/{HASHES}"))?;
    let now = |path: &str| match path {
        FLAGS_LINE => Some(hash_flags()),
        path => Some(hash_file(path, &read(root, path).ok()?)),
    };
    let changed = changed(&String::from_utf8_lossy(&text), now);
    if changed.is_empty() { Ok(()) } else { Err(Error::StalePtx { changed: changed.join(", ") }) }
}

/// Fails if a source was written after the compiler `began`: what it read is then unknown.
pub(super) fn check_age(root: &Path, sources: &[String], began: SystemTime) -> Result<(), Error> {
    let written = |path: &&String| fs::metadata(root.join(path)).and_then(|file| file.modified());
    let newer = |path: &&String| written(path).is_ok_and(|written| written > began);
    match sources.iter().find(newer) {
        Some(path) => Err(Error::Edited { path: path.clone() }),
        None => Ok(()),
    }
}

/// The kernels of the committed PTX, sorted.
pub(super) fn committed(root: &Path) -> Result<Vec<String>, Error> {
    let path = root.join(FOLDER).join(PTX);
    let bytes = read(root, &format!("{FOLDER}/{PTX}"))?;
    entries(&bytes).map_err(|source| Error::Archive { path, source })
}

/// The kernels of an archive, sorted.
pub(super) fn entries(archive: &[u8]) -> ZipResult<Vec<String>> {
    let archive = ZipArchive::new(Cursor::new(archive))?;
    let kernel = |name: &str| name.strip_suffix(SUFFIX).unwrap_or(name).to_owned();
    let names: ZipResult<Vec<String>> =
        archive.file_names().map(|name| Ok(kernel(&name?))).collect();
    let mut names = names?;
    names.sort_unstable();
    Ok(names)
}

/// Name of the compiler's flags among the paths.
const FLAGS_LINE: &str = "flags";

fn hash_flags() -> u64 {
    hash(FLAGS.join(" ").bytes())
}

/// The paths of `hashes` whose hash is another now, or that are gone.
fn changed(hashes: &str, now: impl Fn(&str) -> Option<u64>) -> Vec<String> {
    let lines = hashes.lines().filter_map(|line| line.split_once(' '));
    let differs = |&(hash, path): &(&str, &str)| {
        let recorded = u64::from_str_radix(hash, 16).ok();
        recorded.is_none() || now(path) != recorded
    };
    lines.filter(differs).map(|(_, path)| path.to_owned()).collect()
}

fn read(root: &Path, path: &str) -> Result<Vec<u8>, Error> {
    let path = root.join(path);
    fs::read(&path).map_err(|source| Error::File { path, source })
}

/// The hash of a file's content. Of Rust, lines of comments and indentation do not count: they change no PTX.
fn hash_file(path: &str, content: &[u8]) -> u64 {
    if !path.ends_with(".rs") {
        return hash(content.iter().copied());
    }
    let lines = content.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with(b"//"));
    hash(code.flat_map(|line| line.iter().copied().chain([b'\n'])))
}

/// FNV-1a in 64 bits (Fowler, Noll and Vo), which tells changed files well enough.
fn hash(content: impl Iterator<Item = u8>) -> u64 {
    content.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let of = |text: &str| hash(text.bytes());
        assert_eq!(of(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(of("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(of("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn comments_and_indentation_do_not_count_in_rust() {
        let plain = hash_file("a.rs", b"fn a() {\nb();\n}\n");
        assert_eq!(
            hash_file("a.rs", b"//! A.\r\n\r\nfn a() {\r\n    // Why.\r\n    b();\r\n}"),
            plain
        );
        assert_ne!(hash_file("a.rs", b"fn a() {\nc();\n}\n"), plain);
        assert_ne!(hash_file("a.gz", b"a\n b"), hash_file("a.gz", b"a\nb"));
    }

    #[test]
    fn what_changed_or_is_gone_is_named() {
        let now = |path: &str| (path != "gone").then_some(0x1f);
        let hashes = "1f same\n2f other\n1f gone\nx broken\n";
        assert_eq!(changed(hashes, now), ["other", "gone", "broken"]);
    }

    #[test]
    fn a_fresh_record_holds_until_a_source_changes() {
        let root = std::env::temp_dir().join(format!("farfield-xtask-{}", std::process::id()));
        let folder = root.join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        fs::write(root.join(MANIFEST), "[package]\n").unwrap();
        fs::write(root.join("a.rs"), "fn a() {}\n").unwrap();
        fs::write(folder.join(PTX), b"ptx").unwrap();
        let text = record(&root, &["a.rs".to_owned()], b"ptx").unwrap();
        fs::write(folder.join(HASHES), text).unwrap();
        check(&root).unwrap();
        let began = SystemTime::UNIX_EPOCH;
        assert!(check_age(&root, &["a.rs".to_owned()], began).is_err());
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        check_age(&root, &["a.rs".to_owned()], later).unwrap();
        fs::write(root.join("a.rs"), "fn a() { }\n").unwrap();
        let error = check(&root).unwrap_err().to_string();
        assert!(error.contains("a.rs") && error.contains("cargo xtask ptx"), "{error}");
        fs::remove_dir_all(root).unwrap();
    }
}
