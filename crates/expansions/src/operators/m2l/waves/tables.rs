//! The tables of plane waves as other engines take them: matrices block by block, and the numbers of each wave.

use alloc::vec::Vec;

pub use super::blocks::MatrixBlock;
use super::{WaveAxis, WavePart};
use crate::Scalar;

/// Sets of waves that a family sends one way along an axis.
pub const fn n_sets(axis: WaveAxis) -> usize {
    2 << axis.bounded()
}

/// The tables of a [part](WavePart).
#[derive(Clone, Debug)]
pub struct WaveTables<'a, T> {
    /// Modes of one way.
    pub n_modes: usize,
    /// Complex waves of one way, padded; α and π − α are half of them apart.
    pub n_waves: usize,
    /// Expansions to the frame of the axis and back; `None` where they are in it already.
    pub rotations: Option<[Vec<MatrixBlock<'a, T>>; 2]>,
    /// Multipole to modes: y₁ = A x + B x up, y₂ = A x − B x down, A and B with the same rows.
    pub out: Vec<MatrixBlock<'a, T>>,
    /// Modes to waves at α (y₁) and π − α (y₂) in the same way: the real parts, then the imaginary ones.
    pub radiate: [Vec<MatrixBlock<'a, T>>; 2],
    /// Waves at α (x₁) and π − α (x₂) to modes: A (x₁ + x₂) and B (x₁ − x₂), A and B with the same columns.
    pub collect: [Vec<MatrixBlock<'a, T>>; 2],
    /// Modes up (x₁) and down (x₂) to local expansions in the same way.
    pub back: Vec<MatrixBlock<'a, T>>,
    /// The numbers of wave after wave, `numerics::waves::N_NUMBERS` each.
    pub numbers: Vec<T>,
}

impl<'a, T: Scalar> WaveTables<'a, T> {
    pub(super) fn of(part: &'a WavePart<T>) -> Self {
        let conversion = &part.conversion;
        let rotations = conversion.rotations.as_ref();
        Self {
            n_modes: conversion.n_modes,
            n_waves: part.n_waves,
            rotations: rotations.map(|both| both.each_ref().map(|one| one.blocks().collect())),
            out: conversion.out.blocks().collect(),
            radiate: conversion.radiate.each_ref().map(|one| one.blocks().collect()),
            collect: conversion.collect.each_ref().map(|one| one.blocks().collect()),
            back: conversion.back.blocks().collect(),
            numbers: part.shifts.by_wave(),
        }
    }
}
