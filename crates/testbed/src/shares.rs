//! Problems dealt out to ranks that are threads, in uneven shares.

use std::ops::Range;
use std::sync::OnceLock;

use fmm::{Device, Field, Fmm, Method, Scalar};

/// The share of `n` points that a rank brings: the second of three or more ranks has none.
pub fn share(rank: usize, size: usize, n: usize) -> Range<usize> {
    let cut = |rank: usize| match rank {
        1 if size > 2 => 2 * n / size,
        _ => rank * n / size,
    };
    cut(rank)..cut(rank + 1)
}

/// The device of a rank: ranks take the GPUs of the host in turn, from the one asked for on.
pub fn device_of(asked: Device, rank: usize) -> Device {
    match asked {
        Device::Cuda(first) => Device::Cuda((first + rank) % n_gpus()),
        other => other,
    }
}

/// The number of GPUs of this host, at least one: those on which a plan of one point stands.
fn n_gpus() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    let stands = |gpu: &usize| {
        let fmm = Fmm::new().method(Method::Direct).device(Device::Cuda(*gpu));
        fmm.plan(&[[0.0_f64; 3]]).is_ok()
    };
    *COUNT.get_or_init(|| (0..).take_while(stands).count().max(1))
}

/// The field of all ranks from those of each, with the report of the first.
///
/// # Panics
///
/// Reports that are not those of so many ranks.
pub fn join<T: Scalar>(fields: &[Field<T>]) -> Field<T> {
    let report = fields[0].report.clone();
    assert_eq!(report.ranks.as_ref().map(|ranks| ranks.ranks.len()), Some(fields.len()));
    Field {
        potential: fields.iter().flat_map(|field| field.potential.clone()).collect(),
        gradient: fields.iter().flat_map(|field| field.gradient.clone()).collect(),
        report,
    }
}
