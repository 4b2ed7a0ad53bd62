//! Cost tables: seconds of the parts of an evaluation, from the stages of reports.
//!
//! | file | what |
//! |---|---|
//! | `timing.rs` | medians of an evaluation's stages |
//! | `pairs.rs` | pairs of points |
//! | `expansions.rs` | M2L, plane waves, boxes, points, M2P and P2L |
//! | `leaves.rs` | leaf capacities by scan |
//! | `walks.rs` | walks of the treecode |
//! | `table.rs` | the table and its Rust text |
//!
//! Leaf capacities are scanned about those of the tables that this program was built with: after a first run on a
//! machine, a second one settles `capacity`.

mod expansions;
mod leaves;
mod pairs;
mod table;
mod timing;
mod walks;

use std::fs;
use std::path::Path;

use fmm::{Device, Fmm, Scalar};

use self::pairs::NearPair;
use self::table::{CostTable, replace_near_pair};
use self::timing::Machine;
use crate::Outcome;
use crate::tables::{Numbers, Target, numbers};

/// Measures a device and writes the file of its class; on cores, one thread does all.
pub(crate) fn calibrate(device: Device, folder: &Path, check: bool) -> Outcome {
    match device {
        Device::Cpu => {
            let name = name_of(device)?;
            let target = Target::new(folder, &file_of_cores(&name), check);
            let old = old_numbers(&target, &Target::new(folder, "costs/cpu_avx512.rs", check));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
            let table = pool.install(|| measure::<f64>(Machine { device }, &old))?;
            let comment = format!(
                "//! Costs on one core with {name}, in f64: {}; written by\n\
                 //! `cargo xtask calibrate costs`.\n",
                processor()
            );
            target.put(&comment, &table.text())
        }
        Device::Cuda(index) => {
            put_gpu::<f32>(device, None, folder, check)?;
            let near_pair = NearPair::measure(Device::Cuda(index))?;
            put_gpu::<f64>(device, Some(near_pair), folder, check)
        }
        Device::Hybrid(index) => {
            let gpu = Device::Cuda(index);
            let target = Target::new(folder, &file_of_gpu::<f64>(&name_of(gpu)?), check);
            let Some(old) = target.text() else {
                return Err("measure the GPU first: calibrate costs --device cuda".into());
            };
            target.put("", &replace_near_pair(&old, NearPair::measure(gpu)?)?)
        }
        _ => Err("an emulator has no costs; choose cpu, cuda or hybrid".into()),
    }
}

/// Measures a GPU in one precision and writes its file.
fn put_gpu<T: Scalar>(
    device: Device,
    near_pair: Option<NearPair>,
    folder: &Path,
    check: bool,
) -> Outcome {
    let name = name_of(device)?;
    let target = Target::new(folder, &file_of_gpu::<T>(&name), check);
    let hopper = Target::new(folder, &file_of_gpu::<T>("H100"), check);
    let old = old_numbers(&target, &hopper);
    let table = CostTable { near_pair, ..measure::<T>(Machine { device }, &old)? };
    let comment = format!(
        "//! Costs on an {name}, in {}; written by\n\
         //! `cargo xtask calibrate costs --device cuda`.\n",
        T::NAME
    );
    target.put(&comment, &table.text())
}

/// The vector instructions of the cores, or the name of a GPU.
fn name_of(device: Device) -> Outcome<String> {
    let points = [[0.0; 3], [1.0; 3]];
    Ok(Fmm::new().device(device).plan(&points)?.report().instructions.to_string())
}

/// The file of a class of cores: one for each set of vector instructions.
fn file_of_cores(name: &str) -> String {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("costs/cpu_{}.rs", letters.to_lowercase())
}

/// The file of a class of GPUs in one precision: H100 and H200 are one class, every other GPU is one of its name.
fn file_of_gpu<T: Scalar>(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let class = match ["H100", "H200"].iter().any(|hopper| name.contains(hopper)) {
        true => "hopper".to_owned(),
        false => words.collect::<Vec<_>>().join("_").to_lowercase(),
    };
    let precision = if is_f64::<T>() { "_f64" } else { "" };
    format!("costs/gpu_{class}{precision}.rs")
}

/// Whether a GPU has plane waves and large orders in this precision.
fn is_f64<T: Scalar>() -> bool {
    T::BITS == f64::MANTISSA_DIGITS
}

/// Numbers on file of the class, or of the class whose table serves in its place.
fn old_numbers(target: &Target, other: &Target) -> Numbers {
    numbers(&target.text().or_else(|| other.text()).unwrap_or_default())
}

/// The name of the processor, where the system tells.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = text.lines().find_map(|line| line.strip_prefix("model name"));
    let name = named.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim());
    name.unwrap_or("a processor of unknown name").to_owned()
}

/// All costs of a machine.
fn measure<T: Scalar>(machine: Machine, old: &Numbers) -> Outcome<CostTable> {
    let pairs = pairs::measure::<T>(machine)?;
    eprintln!("pairs: {pairs:?}");
    let m2l = expansions::m2l::<T>(machine)?;
    let waves = expansions::waves::<T>(machine)?;
    let empty_offset = expansions::empty_offset::<T>(machine)?;
    let [few_boxes, wave_launches] = expansions::few_boxes::<T>(machine)?;
    eprintln!("M2L: {m2l:?}, plane waves: {waves:?}, few boxes: {few_boxes} {wave_launches}");
    let (one_box, point) = expansions::boxes_and_points::<T>(machine)?;
    let fixed = expansions::fixed::<T>(machine)?;
    eprintln!("box: {one_box:?}, point: {point:?}, fixed: {fixed:?}");
    let [m2p, p2l] = expansions::singles::<T>(machine, pairs.symmetric * pairs.pair[1], old)?;
    eprintln!("M2P: {m2p:?}, P2L: {p2l:?}");
    let leaves = leaves::measure::<T>(machine, old)?;
    eprintln!("leaves: {leaves:?}");
    let walk = walks::measure::<T>(machine, pairs.pair, old)?;
    eprintln!("walks: {walk:?}");
    // A rate of kernels, and lanes of a machine, which hardly depend on the machine of a class.
    let on_file = |name: &str| old.get(name).and_then(|values| values.first()).copied();
    let checked = on_file("checked").unwrap_or(1.3);
    let boxes_at_once = on_file("boxes_at_once").unwrap_or(1.0);
    Ok(CostTable {
        pairs,
        checked,
        m2l,
        empty_offset,
        few_boxes,
        boxes_at_once,
        waves,
        wave_launches,
        one_box,
        point,
        fixed,
        m2p,
        p2l,
        leaves,
        // Users of GPUs come with masses first; cores serve both, and leaves for charges of both signs suit masses too.
        usual_charges: machine.pick("Unlike", "Alike"),
        walk,
        near_pair: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_files() {
        assert_eq!(file_of_cores("AVX-512"), "costs/cpu_avx512.rs");
        assert_eq!(file_of_cores("portable"), "costs/cpu_portable.rs");
        assert_eq!(file_of_gpu::<f32>("NVIDIA H200"), "costs/gpu_hopper.rs");
        assert_eq!(file_of_gpu::<f64>("NVIDIA H100"), "costs/gpu_hopper_f64.rs");
        let other = file_of_gpu::<f32>("NVIDIA A100-SXM4-80GB");
        assert_eq!(other, "costs/gpu_nvidia_a100_sxm4_80gb.rs");
    }
}
