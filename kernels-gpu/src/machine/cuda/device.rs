//! Open device: the driver, the primary context that all users of a process share, and a pool of memory.

use super::{MachineError, checked, held, modules::Modules, queue::Queue, reason, room::Room};
use cudarc::driver::{result, sys};
use std::format;
use std::string::String;
use std::sync::{Arc, Mutex, Weak};
use std::vec::Vec;

/// Oldest driver that works: its functions are called by the names of CUDA 12.0 or before.
const OLDEST_DRIVER: i32 = 12_000;

/// Open device.
#[derive(Debug)]
pub(super) struct Device {
    device: sys::CUdevice,
    context: sys::CUcontext,
    pub(super) pool: sys::CUmemoryPool,
    pub(super) modules: Modules,
    /// Idle queues, for the next forks.
    pub(super) idle: Mutex<Vec<Queue>>,
    /// Idle staging buffers, for the next copies.
    pub(super) rooms: Mutex<Vec<Room>>,
    /// Idle events with times, for the next marks.
    pub(super) events: Mutex<Vec<sys::CUevent>>,
    pub(super) index: usize,
    pub(super) name: String,
    pub(super) total_bytes: usize,
    pub(super) multiprocessors: u32,
}

// SAFETY: the driver may be called from any thread; what changes is behind mutexes.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

/// Devices that are open, with their indices: those that some machine of the process uses.
static OPEN: Mutex<Vec<(usize, Weak<Device>)>> = Mutex::new(Vec::new());

impl Device {
    /// Device that another machine has opened, or that is opened now. Kernels are loaded once a device, and opening one
    /// takes tenths of a second.
    pub(super) fn shared(index: usize) -> Result<Arc<Self>, MachineError> {
        let mut open = held(&OPEN);
        open.retain(|(_, device)| device.strong_count() > 0);
        let known = open.iter().find(|(of, _)| *of == index);
        if let Some(device) = known.and_then(|(_, device)| device.upgrade()) {
            return Ok(device);
        }
        let device = Arc::new(Self::open(index)?);
        open.push((index, Arc::downgrade(&device)));
        Ok(device)
    }

    fn open(index: usize) -> Result<Self, MachineError> {
        let count = driver()?;
        let absent = MachineError::Device { index, count };
        let ordinal = i32::try_from(index).ok().filter(|_| index < count).ok_or(absent)?;
        let device = checked("opening the device", result::device::get(ordinal))?;
        // SAFETY: the device is there.
        let (context, total_bytes) = unsafe {
            let context = checked("opening the device", result::primary_ctx::retain(device))?;
            (context, checked("opening the device", result::device::total_mem(device)))
        };
        let mut opened = Self {
            device,
            context,
            pool: std::ptr::null_mut(),
            modules: Modules::default(),
            idle: Mutex::default(),
            rooms: Mutex::default(),
            events: Mutex::default(),
            index,
            name: result::device::get_name(device).unwrap_or_default(),
            total_bytes: total_bytes?,
            multiprocessors: 1,
        };
        opened.bind()?;
        opened.pool = pool(ordinal, count)?;
        // SAFETY: the device is there, and the context is current.
        unsafe {
            let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
            let answer = result::device::get_attribute(device, attribute);
            opened.multiprocessors = checked("opening the device", answer)?.unsigned_abs();
        }
        Ok(opened)
    }

    /// Number of the device.
    #[cfg(feature = "cust")]
    pub(super) fn ordinal(&self) -> sys::CUdevice {
        self.device
    }

    /// The primary context.
    pub(super) fn context(&self) -> sys::CUcontext {
        self.context
    }

    /// Makes the context current in the calling thread, as all other calls require.
    pub(super) fn bind(&self) -> Result<(), MachineError> {
        // SAFETY: the context is held until the device is dropped.
        checked("choosing the device", unsafe { result::ctx::set_current(self.context) })
    }

    /// Bytes of free memory, of the device and of the pool.
    pub(super) fn free_bytes(&self) -> Result<usize, MachineError> {
        use sys::CUmemPool_attribute::{
            CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
        };
        let (free, _) = checked("asking for free memory", result::mem_get_info())?;
        let amount = |attribute| {
            let mut bytes = 0_u64;
            // SAFETY: these attributes are 8 bytes.
            let asked = unsafe {
                result::mem_pool::get_attribute(self.pool, attribute, (&raw mut bytes).cast())
            };
            checked("asking for free memory", asked).map(|()| bytes as usize)
        };
        let reserved = amount(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        Ok(free + reserved.saturating_sub(amount(CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?))
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // What the driver may say against giving back helps nobody any more.
        if self.bind().is_err() {
            return;
        }
        // SAFETY: nothing else has these handles: streams and buffers hold the device, and they are gone.
        unsafe {
            for queue in held(&self.idle).drain(..) {
                queue.destroy();
            }
            for room in held(&self.rooms).drain(..) {
                room.destroy();
            }
            for event in held(&self.events).drain(..) {
                let _ = result::event::destroy(event);
            }
            self.modules.unload();
            if !self.pool.is_null() {
                let _ = result::mem_pool::destroy(self.pool);
            }
            let _ = result::primary_ctx::release(self.device);
        }
    }
}

/// Loads the driver and counts its devices.
fn driver() -> Result<usize, MachineError> {
    let missing = |reason: String| MachineError::Driver { reason };
    // SAFETY: loads the library of that name, whose initialisation is the system's concern.
    if !unsafe { sys::is_culib_present() } {
        return Err(missing("the library libcuda.so.1 or nvcuda.dll cannot be loaded".into()));
    }
    match result::init() {
        Ok(()) => {}
        Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE => return Ok(0),
        Err(error) => return Err(missing(reason(error))),
    }
    let mut version = 0;
    // SAFETY: writes a number.
    let asked = unsafe { sys::cuDriverGetVersion(&raw mut version) }.result();
    asked.map_err(|error| missing(reason(error)))?;
    if version < OLDEST_DRIVER {
        let (major, minor) = (version / 1000, version % 1000 / 10);
        return Err(missing(format!("it is for CUDA {major}.{minor}, older than 12.0")));
    }
    let count = result::device::get_count().map_err(|error| missing(reason(error)))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// New pool of memory, which those of the `count` devices that can reach it may read. It keeps freed memory, so that only first
/// allocations cost time.
fn pool(device: i32, count: usize) -> Result<sys::CUmemoryPool, MachineError> {
    const PLACE: &str = "making a pool of memory";
    // SAFETY: all fields are numbers or may be null; the threshold is 8 bytes.
    unsafe {
        let mut properties: sys::CUmemPoolProps = std::mem::zeroed();
        properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        properties.location.id = device;
        let pool = checked(PLACE, result::mem_pool::create(&raw const properties))?;
        let mut threshold = u64::MAX;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let set = result::mem_pool::set_attribute(pool, attribute, (&raw mut threshold).cast());
        checked(PLACE, set).inspect_err(|_| {
            let _ = result::mem_pool::destroy(pool);
        })?;
        open_to_others(pool, device, count);
        Ok(pool)
    }
}

/// Lets the devices that can reach a pool of `device` directly read and write it. Copies go through the host where that is
/// not to be had.
fn open_to_others(pool: sys::CUmemoryPool, device: i32, count: usize) {
    let others = (0..i32::try_from(count).unwrap_or_default()).filter(|other| *other != device);
    for other in others {
        let mut reachable = 0;
        // SAFETY: writes a number; both devices are there, and their handles are their ordinals.
        let asked = unsafe { sys::cuDeviceCanAccessPeer(&raw mut reachable, other, device) };
        if asked.result().is_ok() && reachable != 0 {
            // SAFETY: all fields are numbers; the pool lives.
            unsafe {
                let mut access: sys::CUmemAccessDesc = std::mem::zeroed();
                access.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
                access.location.id = other;
                access.flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
                let _ = sys::cuMemPoolSetAccess(pool, &raw const access, 1);
            }
        }
    }
}
