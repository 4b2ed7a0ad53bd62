//! The paper's M2L kernel (Yokota & Barba, Listings 3 to 5) against the same listings on the host.

use expansions::papers::listings::{M2lShared, OFFSET_STRIDE, m2l_kernel};
use kernels_gpu::device::Real;
use kernels_gpu::machine::{Buffer, Launcher, MachineError};
use kernels_gpu::papers::m2l_listing::{Listing, m2l_listing, m2l_listing_calls};

/// The paper's kernel on the device and on the host: the same sums in another order. Cosines that are called have errors of
/// `cosine` beyond rounding.
fn listing_of<M: Launcher, T: Real>(
    machine: &M,
    cosine: f64,
    launch: impl Fn(&M, usize, Listing<T>) -> Result<(), MachineError>,
) {
    let offsets = [[2, 0, 0], [0, -2, 1], [0, 0, -3], [3, 3, 3], [-1, 2, -3]];
    for order in [1, 2, 5, 9, 16] {
        let count = order * (order + 1) / 2;
        let value = |i: usize| T::from_f64((i as f64 * 0.618).fract() - 0.5);
        let sources: Vec<T> = (0..2 * count * offsets.len()).map(value).collect();
        let mut records = vec![0; 2 * OFFSET_STRIDE];
        records[OFFSET_STRIDE] = offsets.len() as i32;
        for (k, offset) in offsets.iter().enumerate() {
            let entry = &mut records[OFFSET_STRIDE + 1 + 4 * k..][..4];
            entry[0] = (k * count) as i32;
            entry[1..].copy_from_slice(offset);
        }
        let (source, record) = (machine.buffer_of(&sources), machine.buffer_of(&records));
        let (source, record) = (source.unwrap(), record.unwrap());
        let mut target = machine.allocate::<T>(4 * count).unwrap();
        let args = Listing {
            num_expansions: order as u32,
            device_offset: record.view(),
            box_size: T::from_f64(1.25),
            device_mnm_source: source.view(),
            device_lnm_target: target.view_mut(),
        };
        launch(machine, 2, args).unwrap();
        let got = machine.items_of(&target).unwrap();
        let sources: Vec<f64> = sources.iter().map(|x| x.to_f64()).collect();
        let epsilon = if size_of::<T>() == 4 { f32::EPSILON.into() } else { f64::EPSILON };
        let tolerance = 16.0 * (order + 2) as f64 * epsilon + order as f64 * cosine;
        let mut want = vec![0.0; 4 * count];
        let mut shared = M2lShared::new(order);
        for block in 0..2 {
            m2l_kernel(block, &records, 1.25, &mut want, &sources, &mut shared);
        }
        // Unscaled coefficients of one degree are alike in size, those of different degrees are not.
        for j in 0..order {
            for first in [0, count] {
                let degree = 2 * (first + j * (j + 1) / 2)..2 * (first + (j + 1) * (j + 2) / 2);
                let largest = want[degree.clone()].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                for i in degree {
                    let error = (got[i].to_f64() - want[i]).abs();
                    let bound = tolerance * largest;
                    assert!(error <= bound, "p = {order}, {i}: {:?}, not {}", got[i], want[i]);
                }
            }
        }
    }
}

fn listing<M: Launcher>(machine: &M) {
    listing_of::<M, f32>(machine, 0.0, m2l_listing);
    listing_of::<M, f64>(machine, 0.0, m2l_listing);
}

fn listing_as_printed<M: Launcher>(machine: &M) {
    listing_of::<M, f32>(machine, 2e-6, m2l_listing_calls);
}

on_every_machine!(listing, listing_as_printed);
