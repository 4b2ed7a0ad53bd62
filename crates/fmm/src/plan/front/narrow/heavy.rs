//! Heavy charges in f32: the few that outweigh all others have large pulls, which may cancel at one receiver of thousands. What f32
//! leaves of them there, no sample of receivers finds; so it is computed at every receiver.

use super::{NarrowEngine, TASK};
use crate::api::Error;
use crate::engine::{ChargeKind, Heavy, VectorFacts, random_bits};
use crate::ranks::facts_of_all_ranks;
use crate::verify::FewReceivers;

/// Relative error of the pull of a pair in f32, a few roundings of 2⁻²⁴. Charges that are symmetric have signs of it that are not.
const OF_PAIR: f64 = 1.0 / (1 << 22) as f64;

/// Facts that a check has to know of a charge vector of all ranks.
pub(super) struct Look {
    pub(super) kind: ChargeKind,
    /// The heaviest charges, where few outweigh the others: rows (q, x, y, z) in the frame.
    heavy: Vec<[f64; 4]>,
    /// Whether few of the other charges outweigh the rest of them, so that the heaviest are not all that matter.
    pub(super) others_are_uneven: bool,
}

impl NarrowEngine {
    /// Looks at a vector. Collective.
    pub(super) fn look(&self, charges: &[f64]) -> Result<Look, Error> {
        let n_sources = self.n_sources;
        let facts = self.facts(charges)?;
        let kind = facts.kind();
        if !facts.are_uneven(n_sources) {
            return Ok(Look { kind, heavy: Vec::new(), others_are_uneven: false });
        }
        let candidates = Heavy::heaviest(charges);
        let row = |place: &usize| {
            let [x, y, z] = self.frame.sources[*place];
            [charges[*place], x, y, z]
        };
        let rows: Vec<[f64; 4]> = candidates.iter().map(row).collect();
        let mut others = charges.to_vec();
        let heavy = match &self.ranks {
            Some(group) => group.take_heaviest(&mut others, (&candidates, &rows))?,
            None => {
                candidates.iter().for_each(|place| others[*place] = 0.0);
                rows
            }
        };
        let others_are_uneven = self.facts(&others)?.are_uneven(n_sources);
        Ok(Look { kind, heavy, others_are_uneven })
    }

    /// Facts about a vector of which each rank has a part. Collective.
    fn facts(&self, charges: &[f64]) -> Result<VectorFacts, Error> {
        let (own, _) = VectorFacts::of(charges);
        match &self.ranks {
            Some(group) => Ok(facts_of_all_ranks(group, &[own])?[0]),
            None => Ok(own),
        }
    }

    /// Sums over own receivers of the squares of what f32 changes of potential and gradient of heavy charges, in the frame's unit.
    /// Cost: two pairs for each receiver and charge.
    pub(super) fn squares_of_heavy(&self, Look { heavy, .. }: &Look) -> [f64; 2] {
        if heavy.is_empty() {
            return [0.0; 2];
        }
        let exact = columns(heavy);
        let narrowed = |(k, [q, at @ ..]): (usize, &[f64; 4])| {
            let error = if random_bits(k as u64).is_multiple_of(2) { OF_PAIR } else { -OF_PAIR };
            let [x, y, z] = self.frame.narrow(*at).map(f64::from);
            [q * (1.0 + error), x, y, z]
        };
        let narrowed = columns(&heavy.iter().enumerate().map(narrowed).collect::<Vec<_>>());
        let parts = parallel::map_parts(self.frame.receivers().chunks(TASK), |_, receivers| {
            let at = |axis: usize| receivers.iter().map(|at| at[axis]).collect();
            let as_they_are = self.sums(&exact, &[0, 1, 2].map(at));
            let narrowed_at: Vec<[f32; 3]> =
                receivers.iter().map(|at| self.frame.narrow(*at)).collect();
            let at = |axis: usize| narrowed_at.iter().map(|at| f64::from(at[axis])).collect();
            let in_f32 = self.sums(&narrowed, &[0, 1, 2].map(at));
            let square = |of: usize| -> f64 {
                let pairs = as_they_are[of].iter().zip(&in_f32[of]);
                pairs.map(|(exact, narrowed)| (exact - narrowed).powi(2)).sum()
            };
            [square(0), square(1) + square(2) + square(3)]
        });
        parts.into_iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
    }

    /// Potential and gradient of charges, columns (q, x, y, z), at some receivers.
    fn sums(&self, [charges, x, y, z]: &[Vec<f64>; 4], at: &[Vec<f64>; 3]) -> [Vec<f64>; 4] {
        let mut sums = [(); 4].map(|()| vec![0.0; at[0].len()]);
        let softening = self.request.softening;
        FewReceivers { at, softening }.add([x, y, z], charges, &mut sums);
        sums
    }
}

fn columns(rows: &[[f64; 4]]) -> [Vec<f64>; 4] {
    [0, 1, 2, 3].map(|of| rows.iter().map(|row| row[of]).collect())
}
