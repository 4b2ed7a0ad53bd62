//! A rustc that compiles for the GPU: any that has the sources of `core`, which no distribution has compiled for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::Error;
use crate::workspace;

/// The first with the intrinsics that the kernels use: Rust 1.95.
const OLDEST: u32 = 95;

/// Flags of the compiler. GPUs of compute capability 8.0 and later run them; loops over the numbers of an expansion
/// must be unrolled, however long, to stay in registers.
pub(super) const FLAGS: [&str; 5] =
    ["-C", "target-cpu=sm_80", "--emit=asm", "-C", "llvm-args=-unroll-threshold=20000"];

/// A compiler for the GPU.
pub(super) struct Compiler {
    rustc: PathBuf,
    /// Version, such as `rustc 1.96.0`.
    version: String,
    minor: u32,
}

/// Output of a compiler.
pub(super) struct Compiled {
    pub(super) ptx: String,
    pub(super) path: PathBuf,
    /// The sources that were read, from the root of the workspace, sorted.
    pub(super) sources: Vec<String>,
    /// Begin of the compilation: sources that were written later are of no use.
    pub(super) began: SystemTime,
    /// Version of the compiler.
    pub(super) compiler: String,
}

impl Compiler {
    /// The one named in `FARFIELD_PTX_RUSTC`, or else the newest of cargo's own, rustup's and the system's.
    pub(super) fn find() -> Result<Self, Error> {
        let named = std::env::var_os("FARFIELD_PTX_RUSTC").map(PathBuf::from);
        let candidates = named.map_or_else(candidates, |rustc| vec![rustc]);
        let tried: Vec<String> = candidates.iter().map(|path| path.display().to_string()).collect();
        let usable = candidates.into_iter().filter_map(Self::usable);
        // Of equals the first.
        let newest = usable.reduce(|best, next| if next.minor > best.minor { next } else { best });
        newest.ok_or_else(|| Error::NoDeviceCompiler { tried: tried.join(", "), oldest: OLDEST })
    }

    fn usable(rustc: PathBuf) -> Option<Self> {
        let version = answer(&rustc, &["--version"])?;
        let minor = minor(&version)?;
        let sysroot = PathBuf::from(answer(&rustc, &["--print", "sysroot"])?);
        let core = sysroot.join("lib/rustlib/src/rust/library/core/Cargo.toml");
        let version = version.split(" (").next().unwrap_or_default().to_owned();
        (minor >= OLDEST && core.is_file()).then_some(Self { rustc, version, minor })
    }

    pub(super) fn compile(&self) -> Result<Compiled, Error> {
        println!("compiling the kernels with {} ({})", self.version, self.rustc.display());
        let began = SystemTime::now();
        let target = workspace::target().join("ptx");
        let package =
            ["rustc", "--package", "farfield-kernels-gpu", "--lib", "--crate-type", "cdylib"];
        let device = ["--release", "-Zbuild-std=core", "--target", "nvptx64-nvidia-cuda", "--"];
        let mut command = workspace::cargo(&[&package[..], &device, &FLAGS].concat());
        command
            .env("RUSTC", &self.rustc)
            // Unlocks what the target needs in a stable compiler, and is nothing new to a nightly one.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", &target)
            // The text of the PTX is what is wanted; nothing has to be linked.
            .env("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER", "true")
            .env("CARGO_PROFILE_RELEASE_LTO", "fat")
            .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
            // Incremental code keeps arrays in memory that would otherwise be registers.
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("RUSTFLAGS")
            .env_remove("RUSTC_WRAPPER");
        workspace::execute(command, "compiling the kernels")?;
        let folder = target.join("nvptx64-nvidia-cuda/release/deps");
        let path = newest(&folder).ok_or_else(|| Error::NoPtx { folder: folder.clone() })?;
        let read = |path: &Path| {
            fs::read_to_string(path).map_err(|source| Error::File { path: path.into(), source })
        };
        let ptx = read(&path)?;
        // One list for each crate that was compiled; a file that is gone stood in an older list.
        let lists: Result<Vec<String>, Error> =
            files(&folder, "d").map(|list| read(&list)).collect();
        let mut sources = sources(&lists?.concat());
        sources.retain(|file| workspace::root().join(file).is_file());
        Ok(Compiled { ptx, path, sources, began, compiler: self.version.clone() })
    }
}

/// Compilers that may be there: that of this cargo, those of rustup, that of the system.
fn candidates() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let current = workspace::capture_quietly("rustc", &["--print", "sysroot"]);
    found.extend(current.map(|sysroot| Path::new(sysroot.trim()).join("bin/rustc")));
    let rustup = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let rustup = rustup.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")));
    let toolchains = rustup.and_then(|rustup| fs::read_dir(rustup.join("toolchains")).ok());
    let mut toolchains: Vec<PathBuf> =
        toolchains.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    toolchains.sort();
    found.extend(toolchains.into_iter().map(|toolchain| toolchain.join("bin/rustc")));
    found.push("/usr/bin/rustc".into());
    found
}

fn answer(rustc: &Path, arguments: &[&str]) -> Option<String> {
    Some(workspace::capture_quietly(rustc, arguments)?.trim().to_owned())
}

/// The minor version, 96 of `rustc 1.96.0 (…)`.
fn minor(version: &str) -> Option<u32> {
    version.strip_prefix("rustc 1.")?.split('.').next()?.parse().ok()
}

/// The PTX in `folder` that was written last.
fn newest(folder: &Path) -> Option<PathBuf> {
    let ours = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("kernels_gpu"))
    };
    let written = |path: &PathBuf| {
        path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    files(folder, "s").filter(ours).max_by_key(written)
}

/// The files of `folder` with this extension.
fn files(folder: &Path, extension: &'static str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(move |path| path.extension().is_some_and(|found| found == extension))
}

/// The workspace's files in the compiler's lists of what it read, in the form of makefiles.
fn sources(rules: &str) -> Vec<String> {
    let root = workspace::root().to_string_lossy();
    let mut files: Vec<String> = rules
        .lines()
        .filter_map(|line| line.split_once(": "))
        .flat_map(|(_, files)| files.split_whitespace())
        .map(|file| file.strip_prefix(&*root).map_or(file, |rest| rest.trim_start_matches('/')))
        .filter(|file| !file.starts_with('/'))
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(minor("rustc 1.96.0 (ac68faa20 2026-05-25)"), Some(96));
        assert_eq!(minor("rustc 1.97.0-nightly (e50aa6fba 2026-05-19)"), Some(97));
        assert_eq!(minor("gcc 12"), None);
    }

    #[test]
    fn sources_are_those_of_the_workspace_each_once() {
        let rules = "/t/a.s: k/src/lib.rs k/src/b.rs /usr/lib/core.rs\n\n/t/a.d: k/src/lib.rs\n\nk/src/lib.rs:\n";
        assert_eq!(sources(rules), ["k/src/b.rs", "k/src/lib.rs"]);
        let absolute = format!("a: {}/k/src/c.rs\n", workspace::root().display());
        assert_eq!(sources(&absolute), ["k/src/c.rs"]);
    }

    #[test]
    fn a_file_that_is_no_compiler_is_passed_over() {
        assert!(Compiler::usable("/nowhere/rustc".into()).is_none());
    }
}
