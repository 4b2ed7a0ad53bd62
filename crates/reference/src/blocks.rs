//! Direct sums at blocks of receivers, a lane each, whatever the arithmetic.

use lanes::{Kernel, Lanes, Real};
use rayon::prelude::*;

/// Receivers of a block. They are more than the compiler unrolls, so that it makes vectors of them.
pub(crate) const BLOCK: usize = 32;

/// Running sums of one quantity at the receivers of a block.
pub(crate) trait Sums: Copy + Default {
    /// Contribution of a pair.
    type Term;

    /// Potential and gradient at a receiver due to one source, zeros where both coincide. Implementations carry
    /// `#[inline(always)]`.
    fn terms(source: &[f64; 3], charge: f64, at: [f64; 3], softening: f64) -> [Self::Term; 4];

    /// Adds a term to the sum of receiver `i`. Implementations carry `#[inline(always)]`.
    fn add(&mut self, i: usize, term: Self::Term);

    /// The sum of receiver `i`.
    fn total(&self, i: usize) -> f64;
}

/// Potential and gradient at every receiver, in the receivers' order.
pub(crate) fn direct<S: Sums>(
    sources: &[[f64; 3]],
    charges: &[f64],
    receivers: &[[f64; 3]],
    softening: f64,
) -> (Vec<f64>, Vec<[f64; 3]>) {
    debug_assert_eq!(sources.len(), charges.len());
    let at = |receivers| {
        let sums = [S::default(); 4];
        f64::dispatch(Block { receivers, sources, charges, softening, sums })
    };
    receivers.par_chunks(BLOCK).flat_map_iter(at).unzip()
}

/// Sums at no more than [`BLOCK`] receivers: of the potential and of the gradient along each axis.
struct Block<'a, S> {
    receivers: &'a [[f64; 3]],
    sources: &'a [[f64; 3]],
    charges: &'a [f64],
    softening: f64,
    sums: [S; 4],
}

impl<S: Sums> Kernel<f64> for Block<'_, S> {
    type Output = Vec<(f64, [f64; 3])>;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Self::Output {
        let Block { receivers, sources, charges, softening, sums } = self;
        let mut at = [[0.0; BLOCK]; 3];
        for (i, receiver) in receivers.iter().enumerate() {
            (at[0][i], at[1][i], at[2][i]) = (receiver[0], receiver[1], receiver[2]);
        }
        let [mut potential, mut along_x, mut along_y, mut along_z] = sums;
        for (source, &charge) in sources.iter().zip(charges) {
            for i in 0..BLOCK {
                let at = [at[0][i], at[1][i], at[2][i]];
                let [term, x, y, z] = S::terms(source, charge, at, softening);
                potential.add(i, term);
                along_x.add(i, x);
                along_y.add(i, y);
                along_z.add(i, z);
            }
        }
        let totals =
            |i| (potential.total(i), [along_x, along_y, along_z].map(|along| along.total(i)));
        (0..receivers.len()).map(totals).collect()
    }
}
