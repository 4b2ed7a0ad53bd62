//! Moves expansions from one centre to another, for batches of boxes that lie the same way.
//!
//! M2M, M2L and L2L are one algorithm with three sets of axial matrices: rotate so that the way
//! from centre to centre is the z axis, translate along it, rotate back. Each of the three steps
//! costs about 2p³/3 multiply-adds, where a dense matrix costs p⁴. One expansion is one lane.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use lanes::{Kernel, Lanes, Real};

use crate::Scalar;
use crate::axial::AxialTranslation;
use crate::layout::{by_m, n_coefficients, row_length};
use crate::matrix::BlockMatrix;
use crate::rotation::{AzimuthRotation, PolarRotation};

/// Rows to translate from and to: `[from, to]`.
pub type RowPair = [u32; 2];

/// A translation along one vector.
#[derive(Clone, Debug)]
pub(crate) enum Translation<T> {
    /// One p² × p² matrix.
    Dense(BlockMatrix<T>),
    /// Rotation, axial translation, rotation back.
    Rotated {
        azimuth: AzimuthRotation<T>,
        azimuth_back: AzimuthRotation<T>,
        polar: Arc<PolarRotation<T>>,
        axial: Arc<AxialTranslation<T>>,
    },
}

impl<T: Real> Translation<T> {
    /// The rotated form, from its parts.
    pub(crate) fn rotated(
        order: usize,
        phi: f64,
        polar: Arc<PolarRotation<T>>,
        axial: Arc<AxialTranslation<T>>,
    ) -> Self {
        let azimuth = AzimuthRotation::new(order, phi);
        let azimuth_back = azimuth.back_with_parity();
        Self::Rotated { azimuth, azimuth_back, polar, axial }
    }

    /// The same translation as one matrix, made by translating each unit expansion.
    pub(crate) fn to_dense(&self, order: usize) -> Self
    where
        T: Lanes<Scalar = T>,
    {
        let n = n_coefficients(order);
        let mut buffers = Buffers::new(order);
        let columns: Vec<Vec<f64>> = (0..n)
            .map(|column| {
                buffers.a.fill(T::ZERO);
                buffers.a[column] = T::ONE;
                buffers.translate(self);
                buffers.a.iter().map(|x| x.widen()).collect()
            })
            .collect();
        Self::Dense(BlockMatrix::new(n, n, |row, column| columns[column][row]))
    }
}

/// Room for one batch.
struct Buffers<V> {
    a: Vec<V>,
    b: Vec<V>,
    by_m: Vec<u32>,
    by_degree: Vec<u32>,
}

impl<V: Lanes> Buffers<V> {
    #[inline(always)]
    fn new(order: usize) -> Self {
        let by_m = by_m(order);
        let mut by_degree = vec![0; by_m.len()];
        for (degree_position, m_position) in by_m.iter().enumerate() {
            by_degree[*m_position as usize] = degree_position as u32;
        }
        let room = vec![V::zero(); n_coefficients(order)];
        Self { a: room.clone(), b: room, by_m, by_degree }
    }

    /// Translates the expansions in `a`, in place.
    #[inline(always)]
    fn translate(&mut self, translation: &Translation<V::Scalar>) {
        let Self { a, b, by_m, by_degree } = self;
        match translation {
            Translation::Dense(matrix) => {
                matrix.multiply(a, |i, v| b[i] = v);
                core::mem::swap(a, b);
            }
            Translation::Rotated { azimuth, azimuth_back, polar, axial } => {
                azimuth.apply(a);
                polar.apply(a, |i, v| b[by_m[i] as usize] = v);
                axial.apply(b, |i, v| a[by_degree[i] as usize] = v);
                polar.apply(a, |i, v| b[i] = v);
                azimuth_back.apply(b);
                core::mem::swap(a, b);
            }
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

/// See [`translate`].
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
        let mut wide = Buffers::<V::Wide>::new(order);
        let mut narrow = Buffers::<V>::new(order);
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for (translation, pairs) in batches {
            for pairs in pairs.chunks(V::Wide::WIDTH) {
                from.clear();
                to.clear();
                from.extend(pairs.iter().map(|pair| pair[0] as usize * stride));
                to.extend(pairs.iter().map(|pair| pair[1] as usize * stride));
                if pairs.len() > V::WIDTH {
                    translate_batch(&mut wide, translation, (input, &from), (output, &to));
                } else {
                    translate_batch(&mut narrow, translation, (input, &from), (output, &to));
                }
            }
        }
    }
}

#[inline(always)]
fn translate_batch<V: Lanes>(
    buffers: &mut Buffers<V>,
    translation: &Translation<V::Scalar>,
    (input, from): (&[V::Scalar], &[usize]),
    (output, to): (&mut [V::Scalar], &[usize]),
) {
    V::gather_rows(input, from, &mut buffers.a);
    buffers.translate(translation);
    V::scatter_add_rows(&buffers.a, to, output);
}
