//! PTX of all kernels, a module each in an archive, so that a device reads and compiles only kernels that it runs.

use std::format;
use std::io::{Cursor, Read};
use std::string::String;
use std::sync::OnceLock;

use zip::ZipArchive;
use zip::result::ZipError;

/// Ends the names of the archive's files, which begin with the kernels'.
const SUFFIX: &str = ".ptx";

/// Reason why there is no module.
const DAMAGED: &str = "the embedded PTX is damaged; run cargo xtask ptx";

type Archive = ZipArchive<Cursor<&'static [u8]>>;

/// PTX that this crate was compiled with, made by `cargo xtask ptx`. Opened once; a copy has no files of its own.
fn archive() -> Result<Archive, &'static str> {
    static ARCHIVE: OnceLock<Option<Archive>> = OnceLock::new();
    let bytes: &[u8] = include_bytes!("../../ptx/kernels.zip");
    ARCHIVE.get_or_init(|| ZipArchive::new(Cursor::new(bytes)).ok()).clone().ok_or(DAMAGED)
}

/// Module with the entry point `name`, ended by a zero byte; `None` if there is no such entry.
///
/// # Errors
/// The reason, if the committed file is damaged.
pub(super) fn module(name: &str) -> Result<Option<String>, &'static str> {
    let mut archive = archive()?;
    let mut file = match archive.by_name(&format!("{name}{SUFFIX}")) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(_) => return Err(DAMAGED),
    };
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|_| DAMAGED)?;
    text.push('\0');
    Ok(Some(text))
}

/// Size of the only parameter of the entry `name` of a module, if it is a structure.
pub(super) fn argument_bytes(module: &str, name: &str) -> Option<usize> {
    let (_, rest) = module.split_once(&format!("{name}_param_0["))?;
    rest.split_once(']')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn sizes_of_arguments_are_read() {
        let module = ".visible .entry ONE(\n\t.param .align 8 .b8 ONE_param_0[40]\n)\n{\n}\n\
            .visible .entry ONE_MORE(\n\t.param .u64 ONE_MORE_param_0\n)\n{\n}\n";
        assert_eq!(argument_bytes(module, "ONE"), Some(40));
        assert_eq!(argument_bytes(module, "ONE_MORE"), None);
    }

    /// `cargo xtask ci` names an assembler in PTXAS, where it finds one.
    #[test]
    fn every_embedded_kernel_is_a_module_of_its_own() {
        let probe = crate::device::probe::PROBE.name;
        let size = size_of::<crate::device::probe::Probe>();
        assert_eq!(argument_bytes(&module(probe).unwrap().unwrap(), probe), Some(size));
        assert_eq!(module("NO_KERNEL"), Ok(None));
        let archive = archive().unwrap();
        for file in archive.file_names() {
            let file = file.unwrap();
            let name = file.strip_suffix(SUFFIX).unwrap();
            let module = module(name).unwrap().unwrap();
            assert_eq!(module.matches(".entry").count(), 1, "{name}");
            assert_eq!(module.matches('{').count(), module.matches('}').count(), "{name}");
            let Some(ptxas) = std::env::var_os("PTXAS") else { continue };
            let mut ptxas = Command::new(ptxas)
                .args(["-O0", "-arch=sm_80", "-o", "/dev/null", "-"])
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let text = module.trim_end_matches('\0').as_bytes();
            std::io::Write::write_all(&mut ptxas.stdin.take().unwrap(), text).unwrap();
            assert!(ptxas.wait().unwrap().success(), "{name}");
        }
    }
}
