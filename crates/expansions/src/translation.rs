//! Moves expansions from one centre to another, for batches of boxes that lie the same way.
//!
//! M2M, M2L and L2L are one algorithm with three sets of coaxial matrices: rotate so that the way
//! from centre to centre is the z axis, translate along it, rotate back. Each of the three steps
//! costs about 2p³/3 multiply-adds, where a dense matrix costs p⁴. One expansion is one lane.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::iter;

use lanes::{Kernel, Lanes, Real};

use crate::Scalar;
use crate::coaxial::CoaxialTranslation;
use crate::layout::{by_m, n_coefficients, row_length};
use crate::matrix::BlockDiagonal;
use crate::rotation::{AzimuthRotation, PolarRotation};

/// Rows to translate from and to: `[from, to]`.
pub type RowPair = [u32; 2];

/// A translation along one vector.
#[derive(Clone, Debug)]
pub(crate) enum Translation<T> {
    /// One p² × p² matrix.
    Dense(BlockDiagonal<T>),
    /// Rotation, coaxial translation, rotation back.
    Rotated {
        azimuth: AzimuthRotation<T>,
        azimuth_back: AzimuthRotation<T>,
        polar: Arc<PolarRotation<T>>,
        coaxial: Arc<CoaxialTranslation<T>>,
    },
}

impl<T: Real> Translation<T> {
    /// The rotated form, from its parts.
    pub(crate) fn rotated(
        order: usize,
        phi: f64,
        polar: Arc<PolarRotation<T>>,
        coaxial: Arc<CoaxialTranslation<T>>,
    ) -> Self {
        let azimuth = AzimuthRotation::new(order, phi);
        let azimuth_back = azimuth.back_with_parity();
        Self::Rotated { azimuth, azimuth_back, polar, coaxial }
    }

    /// Memory of translations in bytes. Matrices that several of them share count once.
    pub(crate) fn bytes(translations: &[Self]) -> usize {
        let mut shared = BTreeMap::new();
        let mut own = size_of_val(translations);
        for translation in translations {
            match translation {
                Self::Dense(matrix) => own += matrix.bytes(),
                Self::Rotated { azimuth, azimuth_back, polar, coaxial } => {
                    own += azimuth.bytes() + azimuth_back.bytes();
                    shared.insert(Arc::as_ptr(polar).cast::<()>(), polar.blocks.bytes());
                    shared.insert(Arc::as_ptr(coaxial).cast::<()>(), coaxial.blocks.bytes());
                }
            }
        }
        own + shared.values().sum::<usize>()
    }

    /// Dense form of the translation: one matrix, made by translating each unit expansion.
    pub(crate) fn to_dense(&self, order: usize) -> Self
    where
        T: Scalar,
    {
        let (n, stride) = (n_coefficients(order), row_length(order));
        let mut units = vec![T::ZERO; n * stride];
        (0..n).for_each(|k| units[k * stride + k] = T::ONE);
        let pairs: Vec<RowPair> = (0..n as u32).map(|k| [k; 2]).collect();
        let mut columns = vec![T::ZERO; n * stride];
        translate(order, iter::once((self, &pairs[..])), &units, &mut columns);
        let mut matrix = BlockDiagonal::new();
        matrix.push(n, false, |row, column| columns[column * stride + row].widen());
        Self::Dense(matrix)
    }
}

/// Buffers of one batch.
struct Buffers<V> {
    /// The expansions, by degree.
    expansions: Vec<V>,
    part: Vec<V>,
    /// Positions in `expansions` of the coefficients counted by degree and by m.
    by_degree: Vec<u32>,
    by_m: Vec<u32>,
}

impl<V: Lanes> Buffers<V> {
    #[inline(always)]
    fn new(order: usize) -> Self {
        let expansions = vec![V::zero(); row_length(order)];
        let by_degree = (0..n_coefficients(order) as u32).collect();
        Self { part: expansions.clone(), expansions, by_degree, by_m: by_m(order) }
    }

    /// Translates the expansions in place.
    #[inline(always)]
    fn translate(&mut self, translation: &Translation<V::Scalar>) {
        let Self { expansions, part, by_degree, by_m } = self;
        let (by_degree, by_m) = (&by_degree[..], &by_m[..]);
        // One place in the code for all products: unrolled, it is long.
        let (products, azimuths) = match translation {
            Translation::Dense(matrix) => ([Some((matrix, by_degree)), None, None], None),
            Translation::Rotated { azimuth, azimuth_back, polar, coaxial } => {
                let (polar, coaxial) = ((&polar.blocks, by_degree), (&coaxial.blocks, by_m));
                ([polar, coaxial, polar].map(Some), Some((azimuth, azimuth_back)))
            }
        };
        if let Some((azimuth, _)) = azimuths {
            azimuth.apply(expansions);
        }
        for (blocks, at) in products.into_iter().flatten() {
            blocks.multiply(expansions, at, part);
        }
        if let Some((_, azimuth_back)) = azimuths {
            azimuth_back.apply(expansions);
        }
    }
}

/// Pairs of rows that lie the same way, and the translation that this way takes.
pub(crate) type Batch<'a, T> = (&'a Translation<T>, &'a [RowPair]);

/// Translates, for each batch, row `from` of `input` and adds it to row `to` of `output`, for all
/// pairs of the batch. Within one batch the rows `to` are distinct.
pub(crate) fn translate<'a, T: Scalar>(
    order: usize,
    batches: impl Iterator<Item = Batch<'a, T>>,
    input: &[T],
    output: &mut [T],
) {
    let batches: Vec<_> = batches.filter(|(_, pairs)| !pairs.is_empty()).collect();
    T::run_translate(Translate { order, batches: &batches, input, output });
}

/// Arguments of [`translate`].
#[derive(Debug)]
pub struct Translate<'a, T> {
    order: usize,
    batches: &'a [Batch<'a, T>],
    input: &'a [T],
    output: &'a mut [T],
}

impl<T: Real> Kernel<T> for Translate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { order, batches, input, output } = self;
        let stride = row_length(order);
        let mut buffers = Buffers::<V>::new(order);
        let mut from = [&input[..0]; MAX_WIDTH];
        let mut to = [0; MAX_WIDTH];
        for (translation, pairs) in batches {
            for pairs in pairs.chunks(V::WIDTH) {
                for k in 0..V::WIDTH {
                    // Lanes without a pair repeat the last one and are not written.
                    let [source, receiver] = pairs[k.min(pairs.len() - 1)];
                    from[k] = &input[source as usize * stride..][..stride];
                    to[k] = receiver as usize * stride;
                }
                for start in (0..stride).step_by(V::BLOCK) {
                    V::gather_rows(&from, start, &mut buffers.expansions[start..]);
                }
                buffers.translate(translation);
                let to = &to[..pairs.len()];
                for start in (0..stride).step_by(V::BLOCK) {
                    V::scatter_add_rows(&buffers.expansions[start..], to, start, output);
                }
            }
        }
    }
}

/// The widest vector register in floats.
const MAX_WIDTH: usize = 16;
