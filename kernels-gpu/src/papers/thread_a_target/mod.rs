//! P2M, M2M, M2P, L2L and L2P of Yokota and Barba (2011), section 3 and Figure 4, for their figures: a block is a target box,
//! and a thread is a target, which is a coefficient of the box or a particle in it.
//!
//! The paper prints M2L only ([`m2l_listing`](super::m2l_listing)) and says that the same model applies to all steps: a block
//! reads sources into shared memory, one box or one stride of particles after the other, and each thread sums over them.
//! Expansions are those of equations 2 and 3 in the complex basis, without scales: real and imaginary parts in turn, p(p + 1)
//! numbers a box. Sines and cosines are the instructions that nvcc makes of them under the paper's option `-use_fast_math`,
//! so that the kernels are in f32, with orders up to 17. The product's kernels are in [`operators`](crate::operators).

mod at_points;
mod harmonics;
mod p2m;
mod translations;

pub use at_points::{AtPoints, L2P_TARGETS, M2P_TARGETS, POINT_THREADS};
pub use p2m::{P2M_TARGETS, P2mTargets};
pub use translations::{L2L_TARGETS, M2M_TARGETS, MAX_CHILDREN, TRANSLATION_STRIDE};

#[cfg(not(target_arch = "nvptx64"))]
use super::m2l_listing::Listing;
#[cfg(not(target_arch = "nvptx64"))]
use crate::device::{Kernel, warp};
#[cfg(not(target_arch = "nvptx64"))]
use crate::machine::{Grid, Launcher, MachineError};

/// Launches P2M: one leaf a block.
///
/// # Errors
/// If the device refuses the launch.
#[cfg(not(target_arch = "nvptx64"))]
pub fn p2m<M: Launcher>(machine: &M, args: P2mTargets) -> Result<(), MachineError> {
    let (p, boxes) = (args.num_expansions as usize, args.device_offset.len());
    let threads = threads(p);
    launch(machine, &P2M_TARGETS, [boxes, threads], p2m::shared_bytes(p, threads), args)
}

/// Launches M2M: one parent a block, for `boxes` boxes of a level.
///
/// # Errors
/// If the device refuses the launch.
#[cfg(not(target_arch = "nvptx64"))]
pub fn m2m<M: Launcher>(machine: &M, boxes: usize, args: Listing<f32>) -> Result<(), MachineError> {
    let p = args.num_expansions as usize;
    launch(machine, &M2M_TARGETS, [boxes, threads(p)], translations::shared_bytes(p), args)
}

/// Launches L2L: one child a block, for `boxes` boxes of a level.
///
/// # Errors
/// If the device refuses the launch.
#[cfg(not(target_arch = "nvptx64"))]
pub fn l2l<M: Launcher>(machine: &M, boxes: usize, args: Listing<f32>) -> Result<(), MachineError> {
    let p = args.num_expansions as usize;
    launch(machine, &L2L_TARGETS, [boxes, threads(p)], translations::shared_bytes(p), args)
}

/// Launches M2P: up to [`POINT_THREADS`] particles of a leaf a block.
///
/// # Errors
/// If the device refuses the launch.
#[cfg(not(target_arch = "nvptx64"))]
pub fn m2p<M: Launcher>(machine: &M, args: AtPoints) -> Result<(), MachineError> {
    at_points(machine, &M2P_TARGETS, args)
}

/// Launches L2P: up to [`POINT_THREADS`] particles of a leaf a block.
///
/// # Errors
/// If the device refuses the launch.
#[cfg(not(target_arch = "nvptx64"))]
pub fn l2p<M: Launcher>(machine: &M, args: AtPoints) -> Result<(), MachineError> {
    at_points(machine, &L2P_TARGETS, args)
}

#[cfg(not(target_arch = "nvptx64"))]
fn at_points<M: Launcher>(
    machine: &M,
    kernel: &Kernel<AtPoints>,
    args: AtPoints,
) -> Result<(), MachineError> {
    let shared = at_points::shared_bytes(args.num_expansions as usize);
    let size = [args.device_offset.len(), POINT_THREADS as usize];
    launch(machine, kernel, size, shared, args)
}

/// Threads of a block with one thread a coefficient.
#[cfg(not(target_arch = "nvptx64"))]
fn threads(p: usize) -> usize {
    (p * (p + 1) / 2).next_multiple_of(warp::SIZE as usize)
}

#[cfg(not(target_arch = "nvptx64"))]
fn launch<M: Launcher, A: Copy + Send + Sync + 'static>(
    machine: &M,
    kernel: &Kernel<A>,
    [boxes, threads]: [usize; 2],
    shared: usize,
    args: A,
) -> Result<(), MachineError> {
    if boxes == 0 {
        return Ok(());
    }
    machine.launch(kernel, Grid::of(boxes as u32, threads as u32).shared(shared), args)
}
