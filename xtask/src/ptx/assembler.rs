//! NVIDIA's assembler `ptxas`, if it is there. The assembler tells whether the PTX is valid and which resources each kernel takes.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::workspace;

/// Message where there is no assembler.
pub(super) const ABSENT: &str = "No ptxas was found: add it to PATH, name it in PTXAS, or set CUDA_HOME \
    (without CUDA: pip install nvidia-cuda-nvcc)";

pub(super) struct Assembler {
    pub(super) path: PathBuf,
}

/// A kernel's resources, as the assembler says.
#[derive(Debug, Default, PartialEq)]
struct Resources {
    name: String,
    registers: u32,
    /// Bytes, without what a launch adds.
    shared: u32,
    stack: u32,
    spill_stores: u32,
    spill_loads: u32,
}

impl Assembler {
    /// The one named in `PTXAS`, or else that of `PATH`, `CUDA_HOME`, `CUDA_PATH` or `/usr/local/cuda`.
    pub(super) fn find() -> Option<Self> {
        if let Some(named) = std::env::var_os("PTXAS") {
            return Some(Self { path: named.into() });
        }
        let of = |variable| std::env::var_os(variable).map(|home| PathBuf::from(home).join("bin"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .chain(of("CUDA_HOME"))
            .chain(of("CUDA_PATH"))
            .chain(["/usr/local/cuda/bin".into()])
            .map(|folder| folder.join(format!("ptxas{}", std::env::consts::EXE_SUFFIX)))
            .find(|path| path.is_file())
            .map(|path| Self { path })
    }

    /// Assembles a file and returns the resources of its kernels.
    pub(super) fn assemble(&self, ptx: &Path, architecture: &'static str) -> Result<String, Error> {
        let mut command = Command::new(&self.path);
        let output = ptx.with_extension("cubin");
        command.args(["-v", "-arch", architecture, "-o"]).args([&output, ptx]);
        let output = command
            .output()
            .map_err(|source| Error::Start { program: self.path.display().to_string(), source })?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            Ok(said)
        } else {
            Err(Error::Assembler { ptxas: self.path.clone(), architecture, output: said })
        }
    }

    /// Version, such as `13.0.88`.
    pub(super) fn version(&self) -> String {
        let said = workspace::capture_quietly(&self.path, &["--version"]).unwrap_or_default();
        let version = said.split_once(", V").map_or("", |(_, rest)| rest);
        version.split_whitespace().next().unwrap_or_default().to_owned()
    }
}

/// The page with the table of kernels and their resources.
pub(super) fn page(compiler: &str, ptxas: &str, said: &str) -> String {
    let mut page = format!(
        "# Registers and memory of the device kernels\n\n\
         Written by `cargo xtask ptx`: {compiler}, PTX for compute capability 8.0, assembled by ptxas {ptxas} for 9.0 \
         (H100). Registers are per thread. Shared memory is the fixed part of a launch in bytes; most launches add \
         more. A kernel with a stack or spills keeps numbers in slow memory.\n\n\
         | kernel | registers | shared | stack | spill stores | spill loads |\n\
         |---|--:|--:|--:|--:|--:|\n"
    );
    for kernel in resources(said) {
        let Resources { name, registers, shared, stack, spill_stores, spill_loads } = kernel;
        let _ = writeln!(
            page,
            "| {name} | {registers} | {shared} | {stack} | {spill_stores} | {spill_loads} |"
        );
    }
    page
}

/// Resources that `ptxas -v` reports, by the kernels' names.
fn resources(said: &str) -> Vec<Resources> {
    let mut kernels: Vec<Resources> = Vec::new();
    let mut properties_of = String::new();
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let name = rest.split('\'').next().unwrap_or_default().to_owned();
            kernels.push(Resources { name, ..Resources::default() });
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            properties_of = name.trim().to_owned();
        }
        // Properties of functions that a kernel calls are among its own.
        let Some(kernel) = kernels.last_mut() else { continue };
        if line.contains("bytes stack frame") && properties_of == kernel.name {
            kernel.stack = before(line, " bytes stack frame");
            kernel.spill_stores = before(line, " bytes spill stores");
            kernel.spill_loads = before(line, " bytes spill loads");
        } else if line.contains(" registers") {
            kernel.registers = before(line, " registers");
            kernel.shared = before(line, " bytes smem");
        }
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    kernels
}

/// The number before `unit`, or 0.
fn before(line: &str, unit: &str) -> u32 {
    let number = line.split_once(unit).map_or("", |(before, _)| before);
    number.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'PROBE' for 'sm_90'\n\
        ptxas info    : Function properties for PROBE\n\
        \x20   16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
        ptxas info    : Function properties for helper\n\
        \x20   99 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads\n\
        ptxas info    : Used 28 registers, used 1 barriers, 1540 bytes smem, 400 bytes cmem[0]\n\
        ptxas info    : Compile time = 11.673 ms\n\
        ptxas info    : Compiling entry function 'ADD' for 'sm_90'\n\
        ptxas info    : Used 9 registers\n";

    #[test]
    fn resources_are_read() {
        let [add, probe] = &resources(SAID)[..] else { panic!("two kernels") };
        assert_eq!((add.name.as_str(), add.registers, add.stack), ("ADD", 9, 0));
        let expected = Resources {
            name: "PROBE".into(),
            registers: 28,
            shared: 1540,
            stack: 16,
            spill_stores: 8,
            spill_loads: 12,
        };
        assert_eq!(*probe, expected);
    }

    #[test]
    fn the_page_has_a_row_for_each_kernel() {
        let page = page("rustc 1.96.0", "13.0.88", SAID);
        assert!(
            page.contains("| ADD | 9 | 0 | 0 | 0 | 0 |\n| PROBE | 28 | 1540 | 16 | 8 | 12 |\n")
        );
    }
}
