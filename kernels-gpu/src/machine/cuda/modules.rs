//! Kernels that a device has loaded, each at its first launch.

use super::{MachineError, checked, held, reason};
use crate::machine::ptx;
use cudarc::driver::{result, sys};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::format;
use std::string::{String, ToString};
use std::sync::Mutex;

/// Shared memory that a block may have without asking, in bytes.
const PLAIN_SHARED: u32 = 48 << 10;

/// Kernels loaded so far, by name.
#[derive(Debug, Default)]
pub(super) struct Modules {
    loaded: Mutex<HashMap<&'static str, Loaded>>,
}

/// Loaded kernel.
#[derive(Debug)]
struct Loaded {
    module: sys::CUmodule,
    function: sys::CUfunction,
    argument_bytes: Option<usize>,
    /// Bytes of shared memory that a block may have at present.
    shared_bytes: u32,
}

impl Modules {
    /// Kernel `name`, for a launch with an argument of `argument_bytes` and `shared_bytes` for each block. The context must
    /// be current.
    pub(super) fn function(
        &self,
        name: &'static str,
        argument_bytes: usize,
        shared_bytes: u32,
    ) -> Result<sys::CUfunction, MachineError> {
        let mut all = held(&self.loaded);
        if !all.contains_key(name) {
            all.insert(name, Loaded::new(name)?);
        }
        let missing = || refused(name, "it was not kept".to_string());
        let kernel = all.get_mut(name).ok_or_else(missing)?;
        if kernel.argument_bytes.is_some_and(|bytes| bytes != argument_bytes) {
            return Err(stale(name));
        }
        if shared_bytes > kernel.shared_bytes {
            use sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as SHARED;
            // SAFETY: the function is loaded.
            let set = unsafe {
                result::function::set_function_attribute(
                    kernel.function,
                    SHARED,
                    shared_bytes.cast_signed(),
                )
            };
            checked(name, set)?;
            kernel.shared_bytes = shared_bytes;
        }
        Ok(kernel.function)
    }

    /// # Safety
    /// The device is current, and no kernel runs or will.
    pub(super) unsafe fn unload(&self) {
        for (_, kernel) in held(&self.loaded).drain() {
            // SAFETY: the caller's.
            let _ = unsafe { result::module::unload(kernel.module) };
        }
    }
}

impl Loaded {
    fn new(name: &'static str) -> Result<Self, MachineError> {
        let text = ptx::module(name).map_err(|reason| refused(name, reason.to_string()))?;
        let text = text.ok_or_else(|| stale(name))?;
        let module = compile(name, &text)?;
        let entry = CString::new(name).map_err(|_| stale(name))?;
        // SAFETY: the module is loaded.
        let function = unsafe { result::module::get_function(module, entry) };
        let function = function.map_err(|error| refused(name, reason(error)))?;
        let argument_bytes = ptx::argument_bytes(&text, name);
        Ok(Self { module, function, argument_bytes, shared_bytes: PLAIN_SHARED })
    }
}

/// Compiles a module, which ends with a zero byte, by the driver.
fn compile(name: &'static str, module: &str) -> Result<sys::CUmodule, MachineError> {
    use sys::CUjit_option::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    let mut log = [0_u8; 4096];
    let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The driver takes numbers as pointers; the last byte stays zero.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), (log.len() - 1) as *mut c_void];
    let mut handle = std::ptr::null_mut();
    // SAFETY: the text ends with a zero, the log is as long as said, and there are two options.
    let loaded = unsafe {
        sys::cuModuleLoadDataEx(
            &raw mut handle,
            module.as_ptr().cast(),
            2,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    loaded.result().map(|()| handle).map_err(|error| {
        let log = CStr::from_bytes_until_nul(&log).map(CStr::to_string_lossy).unwrap_or_default();
        refused(name, format!("{} {}", reason(error), log.trim()))
    })
}

fn refused(kernel: &'static str, reason: String) -> MachineError {
    MachineError::Load { kernel, reason }
}

/// Error of a kernel whose embedded PTX is older than the program.
fn stale(kernel: &'static str) -> MachineError {
    refused(kernel, "the committed PTX is older than the sources; run cargo xtask ptx".into())
}
