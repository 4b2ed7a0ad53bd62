//! M2L of any order: the translations of [`translate`](super::translate) for orders that registers have no room for.
//!
//! A block takes up to 32 boxes, a lane each, as the kernels of fixed order do, but its warps share the work on one far
//! box of each: expansions are columns in shared memory, of which a warp turns some degrees, and moves some azimuthal indices m
//! along z. Degrees and orders are dealt out so that a warp with a long one has a short one, too.

mod factors;

use super::constants::MAX_ORDER;
use super::m2l::M2l;
use super::translate::{Way, inputs, members, phase_groups, record_length, scale_groups};
use crate::device::{Array, Real, Vec4, View, shared::Arena, shared::Shared, thread, warp};
use crate::operators::coefficients::groups;
use crate::operators::far::Task;
use factors::{coaxial_factors, half, turn_factors};
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use factors::{factors, n_factors};

/// Warps of a block: as many as the registers of a multiprocessor have room for, in f32 in three blocks.
pub(crate) const fn warps<T>() -> usize {
    if size_of::<T>() == 4 { 4 } else { 8 }
}

/// Rows of a class of a quarter turn at most.
const ROWS: usize = MAX_ORDER / 2;

/// Shared memory of a block in bytes: expansions on their way, and sums.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) const fn shared_bytes<T>(order: usize) -> usize {
    2 * order * order * warp::SIZE as usize * size_of::<T>()
}

/// Sum over far boxes, as `m2l` has it.
///
/// Cost: 2p³ + 8p² operations a pair of boxes, and as many loads of shared memory as operations, over 8.
#[inline(always)]
pub(crate) fn m2l_any<T: Real>(args: M2l<T>) {
    let p = args.order.degrees as usize;
    let task = Task::of_block(&args.boxes);
    let mut arena = Arena::new();
    let mut columns = || Columns { of: arena.array(p * p * warp::SIZE as usize) };
    let work = Work { p, factors: args.factors, e: columns(), sums: columns() };
    work.each(|n| {
        for c in n * n..(n + 1) * (n + 1) {
            work.sums.set(c, T::ZERO);
        }
    });
    let mut walk = task.walk_with_all_warps(args.boxes, args.far);
    while let Some((way, source)) = walk.next() {
        let way = Way { records: args.ways, start: way * record_length(p) };
        work.each(|n| {
            let before = if source.there { way.before_degree(p, n) } else { T::ZERO };
            work.load(n, before, args.multipole, source.index, args.boxes.count as usize);
            work.turn::<false>(n, way.azimuth());
            work.quarter::<false>(n);
            work.turn::<false>(n, way.polar(p));
            work.quarter::<true>(n);
        });
        thread::sync_threads();
        work.each(|m| work.along_z(p - 1 - m));
        thread::sync_threads();
        work.each(|n| {
            work.quarter::<false>(n);
            work.turn::<true>(n, way.polar(p));
            work.quarter::<true>(n);
            work.turn::<true>(n, way.azimuth());
            work.add(n, way.after_degree(p, n));
        });
    }
    thread::sync_threads();
    if !task.there {
        return;
    }
    let mut group = work.warp();
    while group < groups(p) {
        let number = |k: usize| {
            let c = 4 * group + k;
            if c < p * p { work.sums.get(c) } else { T::ZERO }
        };
        let numbers = Vec4([number(0), number(1), number(2), number(3)]);
        args.local.set(group * args.boxes.count as usize + task.target, numbers);
        group += warps::<T>();
    }
}

/// An expansion for each lane, in shared memory.
#[derive(Clone, Copy)]
struct Columns<T> {
    of: Shared<T>,
}

impl<T: Real> Columns<T> {
    #[inline(always)]
    fn get(self, c: usize) -> T {
        self.of.get(c * warp::SIZE as usize + warp::lane_id() as usize)
    }

    #[inline(always)]
    fn set(self, c: usize, value: T) {
        self.of.set(c * warp::SIZE as usize + warp::lane_id() as usize, value);
    }
}

/// Arrays that a block works on.
#[derive(Clone, Copy)]
struct Work<T> {
    p: usize,
    factors: View<Vec4<T>>,
    /// The expansions on their way.
    e: Columns<T>,
    sums: Columns<T>,
}

impl<T: Real> Work<T> {
    #[inline(always)]
    fn warp(self) -> usize {
        thread::thread_idx_x() as usize / warp::SIZE as usize
    }

    /// Visits this warp's share of the degrees, the same ones each time: from the highest down, there and back over the
    /// warps.
    #[inline(always)]
    fn each(self, mut visit: impl FnMut(usize)) {
        let (mut from, mut back) = (0, false);
        while from < self.p {
            let own = if back { warps::<T>() - 1 - self.warp() } else { self.warp() };
            if from + own < self.p {
                visit(self.p - 1 - from - own);
            }
            (from, back) = (from + warps::<T>(), !back);
        }
    }

    /// Reads a degree of box `b` of `count`, times a factor.
    #[inline(always)]
    fn load(self, n: usize, factor: T, from: View<Vec4<T>>, b: usize, count: usize) {
        for group in n * n / 4..((n + 1) * (n + 1)).div_ceil(4) {
            let numbers = Array::<T, 4>::of(from.get(group * count + b).0);
            for k in 0..4 {
                let c = 4 * group + k;
                if c >= n * n && c < (n + 1) * (n + 1) {
                    self.e.set(c, factor * numbers[k]);
                }
            }
        }
    }

    /// Turns a degree about the z axis, backwards or not.
    #[inline(always)]
    fn turn<const BACK: bool>(self, n: usize, phases: Phases<T>) {
        let (mut m, mut group) = (1, phases.start);
        while m <= n {
            let Vec4([c1, s1, c2, s2]) = phases.records.get(group);
            self.turn_order::<BACK>(n, m, c1, s1);
            if m < n {
                self.turn_order::<BACK>(n, m + 1, c2, s2);
            }
            (m, group) = (m + 2, group + 1);
        }
    }

    #[inline(always)]
    fn turn_order<const BACK: bool>(self, n: usize, m: usize, cosine: T, sine: T) {
        let sine = if BACK { -sine } else { sine };
        let (at_c, at_s) = (n * n + n + m, n * n + n - m);
        let (c, s) = (self.e.get(at_c), self.e.get(at_s));
        self.e.set(at_c, c.mul_add(cosine, s * sine));
        self.e.set(at_s, s.mul_add(cosine, -(c * sine)));
    }

    /// The quarter turn about x of a degree.
    #[inline(always)]
    fn quarter<const BACK: bool>(self, n: usize) {
        if half(n) > 4 {
            self.quarter_blocks::<BACK, 2>(n);
        } else if n > 0 {
            self.quarter_blocks::<BACK, 1>(n);
        }
    }

    /// By [`factors`](factors::factors) in `BLOCKS` groups of four rows: the four classes side by side, so that neither
    /// sums nor loads wait for each other.
    #[expect(
        clippy::needless_range_loop,
        reason = "loops over constants keep the array in registers"
    )]
    #[inline(always)]
    fn quarter_blocks<const BACK: bool, const BLOCKS: usize>(self, n: usize) {
        let mut at = [Places::default(); 4];
        for class in 0..4 {
            let (from_cosine, from_odd) = inputs(n, class < 2, class % 2, BACK);
            at[class] = Places::of(n, from_cosine, from_odd);
        }
        let mut out = [Array::<T, ROWS>::filled(T::ZERO); 4];
        let mut place = turn_factors(self.p, n, BACK);
        for column in 0..half(n) as u32 {
            let mut values = [T::ZERO; 4];
            let mut factors = [[Vec4([T::ZERO; 4]); BLOCKS]; 4];
            for class in 0..4 {
                values[class] = self.e.get(at[class].member(column));
                for block in 0..BLOCKS {
                    factors[class][block] = self.factors.get(place + class * BLOCKS + block);
                }
            }
            for block in 0..BLOCKS {
                for class in 0..4 {
                    multiply_add(factors[class][block], values[class], 4 * block, &mut out[class]);
                }
            }
            place += 4 * BLOCKS;
        }
        for class in 0..4 {
            let to = Places::of(n, class < 2, class % 2);
            for row in 0..4 * BLOCKS {
                if (row as u32) < to.count {
                    self.e.set(to.member(row as u32), out[class][row]);
                }
            }
        }
    }

    /// The translation by 1 along z of the cosines and sines of one m.
    #[inline(always)]
    fn along_z(self, m: usize) {
        match (self.p - m).div_ceil(4) {
            1 => self.along_z_blocks::<1>(m),
            2 => self.along_z_blocks::<2>(m),
            3 => self.along_z_blocks::<3>(m),
            _ => self.along_z_blocks::<4>(m),
        }
    }

    /// To `BLOCKS` groups of four degrees.
    #[expect(
        clippy::needless_range_loop,
        reason = "loops over constants keep the array in registers"
    )]
    #[inline(always)]
    fn along_z_blocks<const BLOCKS: usize>(self, m: usize) {
        let mut out = [Array::<T, MAX_ORDER>::filled(T::ZERO); 2];
        let mut place = coaxial_factors(self.p, m);
        for n in m..self.p {
            let (c, s) = (self.e.get(n * n + n + m), self.e.get(n * n + n - m));
            let mut factors = [Vec4([T::ZERO; 4]); BLOCKS];
            for block in 0..BLOCKS {
                factors[block] = self.factors.get(place + block);
            }
            for block in 0..BLOCKS {
                multiply_add(factors[block], c, 4 * block, &mut out[0]);
                multiply_add(factors[block], s, 4 * block, &mut out[1]);
            }
            place += BLOCKS;
        }
        for k in 0..4 * BLOCKS {
            let j = m + k;
            if j < self.p {
                self.e.set(j * j + j + m, out[0][k]);
                self.e.set(j * j + j - m, out[1][k]);
            }
        }
    }

    /// Adds a degree, times a factor, to the sums.
    #[inline(always)]
    fn add(self, n: usize, factor: T) {
        for c in n * n..(n + 1) * (n + 1) {
            self.sums.set(c, self.e.get(c).mul_add(factor, self.sums.get(c)));
        }
    }
}

/// Adds four factors times a value to four sums from `first` on.
#[inline(always)]
fn multiply_add<T: Real, const N: usize>(
    Vec4(factors): Vec4<T>,
    value: T,
    first: usize,
    sums: &mut Array<T, N>,
) {
    sums[first] = factors[0].mul_add(value, sums[first]);
    sums[first + 1] = factors[1].mul_add(value, sums[first + 1]);
    sums[first + 2] = factors[2].mul_add(value, sums[first + 2]);
    sums[first + 3] = factors[3].mul_add(value, sums[first + 3]);
}

/// Places of the members of a class of a degree in an expansion.
#[derive(Clone, Copy, Default)]
struct Places {
    first: u32,
    /// 2 or, modulo 2³², −2.
    step: u32,
    count: u32,
    /// The degree's first coefficient.
    degree: u32,
}

impl Places {
    /// The cosines or sines of degree n with m of one parity.
    #[inline(always)]
    fn of(n: usize, cosine: bool, odd: usize) -> Self {
        let (first, count) = members(n, cosine, odd);
        let step = if cosine { 2 } else { 2_u32.wrapping_neg() };
        Self {
            first: (n * n).wrapping_add(first) as u32,
            step,
            count: count as u32,
            degree: (n * n) as u32,
        }
    }

    /// Member k; beyond the last some other of the degree, whose factors are 0.
    #[inline(always)]
    fn member(self, k: u32) -> usize {
        let place = self.first.wrapping_add(self.step.wrapping_mul(k));
        if k < self.count { place as usize } else { self.degree as usize }
    }
}

/// (cos mα, sin mα) for m = 1, 2 …, two to a group.
#[derive(Clone, Copy)]
struct Phases<T> {
    records: View<Vec4<T>>,
    start: usize,
}

impl<T: Real> Way<T> {
    #[inline(always)]
    fn azimuth(self) -> Phases<T> {
        Phases { records: self.records, start: self.start }
    }

    #[inline(always)]
    fn polar(self, p: usize) -> Phases<T> {
        Phases { records: self.records, start: self.start + phase_groups(p) }
    }

    #[inline(always)]
    fn before_degree(self, p: usize, n: usize) -> T {
        self.number(2 * phase_groups(p), n)
    }

    #[inline(always)]
    fn after_degree(self, p: usize, n: usize) -> T {
        self.number(2 * phase_groups(p) + scale_groups(p), n)
    }

    /// The n-th number of a part of the record.
    #[inline(always)]
    fn number(self, part: usize, n: usize) -> T {
        let Vec4([a, b, c, d]) = self.records.get(self.start + part + n / 4);
        match n % 4 {
            0 => a,
            1 => b,
            2 => c,
            _ => d,
        }
    }
}
