//! M2L by plane waves, level by level, some waves at a time, slab by slab.

use std::sync::{Mutex, MutexGuard, PoisonError};

use expansions::operators::{NO_ROW, Receiver, WaveBuffer, WavePart, WaveScratch};
use parallel::Scratches;

use super::{Passes, TASK};
use crate::cpu::buffers::{SENT_SLABS, SentWaves};
use crate::cpu::geometry::families::WaveLevel;
use crate::cpu::geometry::receivers::cut;
use crate::engine::Scalar;

/// Bytes of the waves that the families of one task send: some 100 µs of work. Fewer families than four do not fill the
/// lanes of vectors, and more than eight make no call cheaper.
const TASK_BYTES: usize = 1 << 17;

/// Some waves along an axis between the families of a level, whose slabs take places in the sequence of all slabs.
struct Batch<'a, T> {
    level: &'a WaveLevel,
    part: &'a WavePart<T>,
    /// Local expansions of each family.
    locals: &'a [Mutex<&'a mut [T]>],
    /// Place of the first slab.
    first: usize,
}

fn lock<V>(value: &Mutex<V>) -> MutexGuard<'_, V> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Scalar> Passes<'_, T> {
    /// The local expansions of all boxes from the multipoles of their far boxes.
    pub(super) fn m2l_by_waves(&self, multipoles: &[T], locals: &mut [T], sent: &mut SentWaves<T>) {
        self.m2l_by_waves_of(self.geometry.wave_levels(), multipoles, locals, sent);
    }

    /// The local expansions of all boxes, by the waves of these families.
    ///
    /// Slabs send one after the other. While one sends, the last but one receives: its waves and those of the slabs next to
    /// it are there.
    fn m2l_by_waves_of(
        &self,
        levels: &[WaveLevel],
        multipoles: &[T],
        locals: &mut [T],
        sent: &mut SentWaves<T>,
    ) {
        let row_length = self.row_length();
        parallel::for_chunks(locals, TASK * row_length, |_, rows| rows.fill(T::ZERO));
        let locals = self.locals_of_families(levels, locals);
        let mut slabs = Vec::new();
        let mut batches = Vec::new();
        for (level, locals) in levels.iter().zip(&locals) {
            for part in self.tables.waves().parts() {
                let n = level.slabs(part.axis()).slabs.len();
                slabs.extend((0..n).map(|slab| (batches.len(), slab)));
                batches.push(Batch { level, part, locals, first: slabs.len() - n });
            }
        }
        let scratches = Scratches::default();
        for place in 0..slabs.len() + 2 {
            let mut buffer = std::mem::take(&mut sent[place % SENT_SLABS]);
            // One thread receives first, while what was sent last is in its cache.
            parallel::join(
                || {
                    if let Some((batch, slab)) = place.checked_sub(2).map(|place| slabs[place]) {
                        self.receive(&batches[batch], slab, sent, &scratches);
                    }
                },
                || {
                    if let Some((batch, slab)) = slabs.get(place) {
                        self.send(&batches[*batch], *slab, multipoles, &mut buffer, &scratches);
                    }
                },
            );
            sent[place % SENT_SLABS] = buffer;
        }
    }

    /// The local expansions of the families of each level.
    fn locals_of_families<'l>(
        &self,
        levels: &[WaveLevel],
        locals: &'l mut [T],
    ) -> Vec<Vec<Mutex<&'l mut [T]>>> {
        let (tree, row_length) = (&self.geometry.tree, self.row_length());
        let (mut rest, mut done) = (locals, 0);
        let mut of_level = |level: &WaveLevel| {
            let children = |family: &u32| tree.children(*family as usize);
            let [Some(first), Some(last)] = [level.parents().first(), level.parents().last()]
            else {
                return Vec::new();
            };
            let (start, end) = (children(first).start, children(last).end);
            let own = std::mem::take(&mut rest).split_at_mut((start - done) * row_length).1;
            let (own, after) = own.split_at_mut((end - start) * row_length);
            (rest, done) = (after, end);
            let lengths = level.parents().iter().map(|family| children(family).len() * row_length);
            cut(own, lengths).into_iter().map(Mutex::new).collect()
        };
        levels.iter().map(&mut of_level).collect()
    }

    /// The waves of the families of a slab.
    fn send(
        &self,
        batch: &Batch<'_, T>,
        slab: usize,
        multipoles: &[T],
        sent: &mut WaveBuffer<T>,
        scratches: &Scratches<WaveScratch<T>>,
    ) {
        let Batch { level, part, .. } = *batch;
        let (tree, length) = (&self.geometry.tree, part.sent_length());
        let slabs = level.slabs(part.axis());
        let families = &slabs.order[slabs.slabs[slab].clone()];
        let n = families_of_task::<T>(part);
        let parts = sent.room(families.len() * length).chunks_mut(n * length);
        parallel::for_parts(families.chunks(n).zip(parts), |_, (families, sent)| {
            let row_of = |family: &u32| {
                let mut row = [NO_ROW; 8];
                for child in tree.children(level.parents()[*family as usize] as usize) {
                    if self.geometry.acts(child) {
                        row[usize::from(tree.key(child).octant())] = child as u32;
                    }
                }
                row
            };
            let rows: Vec<[u32; 8]> = families.iter().map(row_of).collect();
            scratches.with(WaveScratch::default, |scratch| {
                part.send(&rows, multipoles, sent, scratch);
            });
        });
    }

    /// Adds what the families of a slab receive to their local expansions.
    fn receive(
        &self,
        batch: &Batch<'_, T>,
        slab: usize,
        sent: &SentWaves<T>,
        scratches: &Scratches<WaveScratch<T>>,
    ) {
        let Batch { level, part, locals, first } = *batch;
        let (tree, length) = (&self.geometry.tree, part.sent_length());
        let slabs = level.slabs(part.axis());
        let families = &slabs.order[slabs.slabs[slab].clone()];
        let tasks = families.chunks(families_of_task::<T>(part));
        parallel::for_parts(tasks, |_, families| {
            let receives = |family: &&u32| {
                !tree.receivers(level.parents()[**family as usize] as usize).is_empty()
            };
            let families: Vec<usize> =
                families.iter().filter(receives).map(|family| *family as usize).collect();
            let mut guards: Vec<_> = families.iter().map(|family| lock(&locals[*family])).collect();
            let receiver = |(family, locals)| {
                let mut sources: [[&[T]; 9]; 2] = [[&[]; 9]; 2];
                for (source, offset) in level.neighbors(family) {
                    if let Some((way, across)) = part.axis().slot(offset) {
                        let (slab, place) = slabs.places[source];
                        let start = (2 * place as usize + way) * length / 2;
                        let sent = &sent[(first + slab as usize) % SENT_SLABS];
                        sources[way][across] = &sent.numbers()[start..][..length / 2];
                    }
                }
                let mut rows = [NO_ROW; 8];
                for (i, child) in tree.children(level.parents()[family] as usize).enumerate() {
                    if !tree.receivers(child).is_empty() {
                        rows[usize::from(tree.key(child).octant())] = i as u32;
                    }
                }
                Receiver { sources, locals, rows }
            };
            let locals = guards.iter_mut().map(|guard| &mut ***guard);
            let mut receivers: Vec<_> =
                families.iter().copied().zip(locals).map(receiver).collect();
            scratches.with(WaveScratch::default, |scratch| part.receive(&mut receivers, scratch));
        });
    }
}

/// Families that one task takes.
fn families_of_task<T: Scalar>(part: &WavePart<T>) -> usize {
    (TASK_BYTES / size_of::<T>() / part.sent_length()).clamp(4, 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{M2l, Seconds};
    use crate::choose::TreeShape;
    use crate::cpu::buffers::Buffers;
    use crate::cpu::geometry::Geometry;
    use crate::cpu::geometry::families::{Roles, wave_levels};
    use crate::cpu::tables::Tables;
    use crate::engine::PointSets;
    use expansions::operators::WaveAxis;
    use octree::Depth;

    /// Points in a cube, or crowded towards its middle.
    fn points<S: Scalar>(n: usize, crowded: bool) -> Vec<[S; 3]> {
        let place = |i: usize| {
            [0.618_033_988_7, 0.414_213_562_4, 0.732_050_807_6].map(|step| {
                let x = ((i + 1) as f64 * step * 1.003).fract() - 0.5;
                S::narrow(if crowded { x * x.abs() * (1.0 + 3.0 * x * x) } else { x })
            })
        };
        (0..n).map(place).collect()
    }

    fn geometry<S: Scalar>(points: &[[S; 3]], leaf_capacity: usize) -> Geometry<S> {
        let shape = TreeShape {
            depth: Depth::Adaptive { leaf_capacity },
            far_chunk: 128,
            wave_slab: 32,
            ..TreeShape::one_leaf()
        };
        let points = PointSets { sources: points, receivers: None };
        Geometry::new(&points, shape, &mut Seconds::default()).unwrap()
    }

    fn charge(vector: usize, i: usize) -> f64 {
        if (i * 7 + vector * i / 3).is_multiple_of(2) { 1.0 } else { -1.0 }
    }

    /// Potential and gradient in tree order, of each charge vector.
    fn fields<S: Scalar>(
        geometry: &Geometry<S>,
        order: usize,
        m2l: M2l,
        n_vectors: usize,
    ) -> Vec<Vec<[f64; 4]>> {
        let n = geometry.sources().len();
        let tables = Tables::new(order);
        let passes = Passes::of_test(geometry, &tables, n_vectors);
        let mut buffers = Buffers::default();
        buffers.reserve_vectors(n_vectors);
        for (vector, charges) in buffers.charges.iter_mut().enumerate() {
            charges.extend((0..n).map(|i| S::narrow(charge(vector, i))));
        }
        passes.run_fmm(m2l, &mut buffers, &mut Seconds::default()).unwrap();
        let field = |sums: &crate::cpu::geometry::receivers::Sums<S>| {
            let [x, y, z] = &sums.gradient;
            (0..n).map(|i| [sums.potential[i], x[i], y[i], z[i]].map(S::widen)).collect()
        };
        buffers.sums.iter().map(field).collect()
    }

    /// Relative L2 differences of potential and gradient at every `step`-th point.
    fn difference(got: &[[f64; 4]], want: &[[f64; 4]], step: usize) -> [f64; 2] {
        let mut sums = [[0.0; 2]; 2];
        for (got, want) in got.iter().step_by(step).zip(want) {
            for part in 0..4 {
                let sums = &mut sums[usize::from(part > 0)];
                sums[0] += (got[part] - want[part]).powi(2);
                sums[1] += want[part].powi(2);
            }
        }
        sums.map(|[error, norm]| (error / norm).sqrt())
    }

    /// The direct sum at every `step`-th point.
    fn direct(geometry: &Geometry<f64>, step: usize) -> Vec<[f64; 4]> {
        let n = geometry.sources().len();
        let at = geometry.sources().slices(0..n);
        let field = |i: usize| {
            let mut field = [0.0; 4];
            for j in (0..n).filter(|j| *j != i) {
                let d = [0, 1, 2].map(|axis| at[axis][j] - at[axis][i]);
                let inverse = d.iter().map(|d| d * d).sum::<f64>().sqrt().recip();
                let q = charge(0, j) * inverse;
                field[0] += q;
                for axis in 0..3 {
                    field[axis + 1] += q * inverse * inverse * d[axis];
                }
            }
            field
        };
        (0..n).step_by(step).map(field).collect()
    }

    #[test]
    fn errors_are_those_of_rotation() {
        let step = 40;
        for (crowded, n, capacity) in [(false, 12_000, 60), (true, 6000, 30)] {
            let geometry = geometry(&points(n, crowded), capacity);
            let exact = direct(&geometry, step);
            for order in [4, 5, 7, 10, 14, 17, 20, 26, 33, 44] {
                let error =
                    |waves| difference(&fields(&geometry, order, waves, 1)[0], &exact, step);
                let (waves, rotation) = (error(M2l::PlaneWaves), error(M2l::Rotation));
                for (waves, rotation) in waves.into_iter().zip(rotation) {
                    let limit = 1.2 * rotation + 1e-14;
                    assert!(waves < limit, "order {order}: {waves:e}, by rotation {rotation:e}");
                }
            }
        }
    }

    #[test]
    fn waves_in_f32_are_as_close() {
        let points = points::<f32>(6000, false);
        let wide: Vec<[f64; 3]> = points.iter().map(|p| p.map(f64::from)).collect();
        let exact = fields(&geometry(&wide, 40), 16, M2l::Rotation, 1);
        let narrow = geometry(&points, 40);
        for order in [4, 8, 12, 16] {
            let error = |waves| difference(&fields(&narrow, order, waves, 1)[0], &exact[0], 1);
            for (waves, rotation) in error(M2l::PlaneWaves).into_iter().zip(error(M2l::Rotation)) {
                // Either has the rounding of f32.
                let limit = 1.2 * rotation + f64::from(f32::EPSILON);
                assert!(waves < limit, "order {order}: {waves:e}, by rotation {rotation:e}");
            }
        }
    }

    /// Sources in a cube and receivers in a corner of it: families out of sight send nothing, and no bit changes.
    #[test]
    fn families_that_no_receiver_sees_send_nothing() {
        let sources = points::<f64>(20_000, false);
        let receivers: Vec<[f64; 3]> =
            sources.iter().filter(|x| x.iter().all(|c| *c < -0.2)).copied().collect();
        let shape = TreeShape { depth: Depth::Uniform(5), wave_slab: 32, ..TreeShape::one_leaf() };
        let sets = PointSets { sources: &sources, receivers: Some(&receivers) };
        let geometry = Geometry::new(&sets, shape, &mut Seconds::default()).unwrap();
        let tables = Tables::new(6);
        let passes = Passes::of_test(&geometry, &tables, 1);
        let charges: Vec<f64> = (0..sources.len()).map(|i| charge(0, i)).collect();
        let mut multipoles = Vec::new();
        passes.upward(&charges, &mut multipoles, &mut Seconds::default());
        let roles = Roles { acts: &|b| geometry.acts(b), receives: &|_| true };
        let all = wave_levels(&geometry.tree, &roles, 32);
        let locals = |levels: &[WaveLevel]| {
            let (mut locals, mut sent) = (vec![0.0; multipoles.len()], SentWaves::default());
            passes.m2l_by_waves_of(levels, &multipoles, &mut locals, &mut sent);
            locals
        };
        let some = geometry.wave_levels();
        assert_eq!(locals(some), locals(&all));
        let (few, many) = (some.last().unwrap(), all.last().unwrap());
        for axis in WaveAxis::ALL {
            let [few, many] = [few, many].map(|level| level.slabs(axis).order.len());
            // The corner has 0.3³ of the cube, and one more family on three sides.
            assert!(0 < few && 6 * few < many, "{few} of {many}");
        }
    }

    #[test]
    fn threads_and_vectors_change_no_bit() {
        let geometry = geometry(&points::<f64>(5000, true), 20);
        let run = |threads: usize, n_vectors: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fields(&geometry, 9, M2l::PlaneWaves, n_vectors))
        };
        let alone = run(1, 1);
        assert_eq!(alone, run(3, 1));
        let two = run(2, 2);
        assert_eq!(two, run(1, 2));
        // P2P of several vectors may add in another order.
        assert!(difference(&two[0], &alone[0], 1).into_iter().all(|d| d < 1e-14));
    }
}
