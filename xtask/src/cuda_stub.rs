//! `cargo xtask cuda-stub`: makes a library `libcuda.so` with the driver's function names and nothing behind them, so that
//! programs with the feature `cust` link on machines without CUDA. Where they run, the driver's `libcuda.so.1` is loaded.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::error::Error;
use crate::workspace;

/// Package whose declarations name the driver's functions.
const DECLARATIONS: &str = "cust_raw";

pub(crate) fn run() -> Result<(), Error> {
    let declarations = read(manifest()?.with_file_name("src").join("cuda.rs"))?;
    let root = workspace::root().join("target/cuda-stub");
    let library = root.join("lib64/libcuda.so");
    let source = root.join("stub.rs");
    let file = |path: &PathBuf, result: std::io::Result<()>| {
        result.map_err(|source| Error::File { path: path.clone(), source })
    };
    file(&root, fs::create_dir_all(root.join("lib64")))?;
    file(&source, fs::write(&source, stub(&declarations)))?;
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--edition=2024", "--crate-type=cdylib", "--crate-name=cuda", "-Cpanic=abort"]);
    command.args(["-Clink-arg=-Wl,-soname,libcuda.so.1", "-o"]).arg(&library).arg(&source);
    workspace::execute(command, "linking the stub of libcuda")?;
    println!("export CUDA_LIBRARY_PATH={}", root.display());
    Ok(())
}

/// The manifest of the package of declarations, wherever cargo has unpacked it.
fn manifest() -> Result<PathBuf, Error> {
    let metadata = ["metadata", "--format-version=1", "--features=farfield-kernels-gpu/cust"];
    let metadata = workspace::capture(workspace::cargo(&metadata), "finding cust_raw")?;
    let path = manifest_in(&metadata).ok_or(Error::NoDeclarations { package: DECLARATIONS })?;
    Ok(PathBuf::from(path))
}

/// The path of the package's manifest in what `cargo metadata` writes.
fn manifest_in(metadata: &str) -> Option<&str> {
    let paths = metadata.split("\"manifest_path\":\"").skip(1);
    let mut paths = paths.filter_map(|rest| rest.split_once('"').map(|(path, _)| path));
    paths.find(|path| path.contains(DECLARATIONS))
}

fn read(path: PathBuf) -> Result<String, Error> {
    fs::read_to_string(&path).map_err(|source| Error::File { path, source })
}

/// A library with an empty function for each that `declarations` has.
fn stub(declarations: &str) -> String {
    let mut names: Vec<&str> = declarations
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("pub fn cu"))
        .filter_map(|rest| rest.split_once('(').map(|(name, _)| name))
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut text = "#![no_std]\n#![allow(non_snake_case)]\n\
        #[panic_handler]\nfn panic(_: &core::panic::PanicInfo<'_>) -> ! {\n    loop {}\n}\n"
        .to_owned();
    for name in names {
        let _ = writeln!(text, "#[unsafe(no_mangle)]\npub extern \"C\" fn cu{name}() {{}}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_is_there_once() {
        let text = stub("extern \"C\" {\n    pub fn cuInit(a: u32) -> R;\n}\n    pub fn cuInit(\n");
        assert_eq!(text.matches("fn cuInit() {}").count(), 1);
        assert_eq!(text.matches("no_mangle").count(), 1);
    }

    #[test]
    fn the_manifest_is_that_of_the_declarations() {
        let metadata = r#"{"manifest_path":"/r/cust-0.3.2/Cargo.toml"},{"manifest_path":"/r/cust_raw-0.11.3/Cargo.toml"}"#;
        assert_eq!(manifest_in(metadata), Some("/r/cust_raw-0.11.3/Cargo.toml"));
        assert_eq!(manifest_in("{}"), None);
    }
}
