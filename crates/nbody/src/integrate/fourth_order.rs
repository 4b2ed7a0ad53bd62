//! The fourth-order symplectic scheme.

use super::Motion;

/// Coefficients of the optimised position-extended Forest–Ruth scheme (PEFRL): I. P. Omelyan, I. M. Mryglod and R. Folk,
/// Comput. Phys. Commun. 146, 188, 2002, equations 20 and 21.
const XI: f64 = 0.178_617_895_844_809_1;
const LAMBDA: f64 = -0.212_341_831_062_605_4;
const CHI: f64 = -0.066_264_582_669_818_5;

/// One step with four forces: drifts and kicks in turn, symmetric in time.
///
/// The scheme of Forest and Ruth, which is Yoshida's, takes three forces, but its inner step goes back by 1.7 steps: for the
/// same number of forces, its error on an orbit of eccentricity 0.5 is 8 times as large, as the tests measure.
pub(super) fn step<M: Motion>(motion: &mut M, step: f64) -> Result<(), M::Error> {
    let inner = 1.0 - 2.0 * (CHI + XI);
    let outer = 0.5 * (1.0 - 2.0 * LAMBDA);
    motion.drift(XI * step)?;
    for (kicked, drifted) in [(outer, CHI), (LAMBDA, inner), (LAMBDA, CHI), (outer, XI)] {
        motion.accelerate()?;
        motion.kick_drift(kicked * step, drifted * step)?;
    }
    Ok(())
}
