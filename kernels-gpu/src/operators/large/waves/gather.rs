//! Waves of the families around to the children of a box. A lane is a family, a warp has some waves of one way.

use crate::device::{Array, Real, View, ViewMut, thread, warp};
use crate::operators::harmonics::Lane;
use crate::operators::{Boxes, NONE};
use expansions::numerics::complex;
use expansions::numerics::waves::{N_NUMBERS, acts, class_of, number};

/// Waves of a lane: few, because there are few families.
pub(crate) const WAVES: usize = 2;

/// Places of the nine families on a side, and of the four children across.
const ACROSS: usize = 9;

/// Arguments of `gather`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Gather<T> {
    /// The numbers of wave after wave.
    pub numbers: View<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Octant of the tree by that of the frame.
    pub octants: View<u32>,
    /// Directions of the nine families whose waves go up, then of those whose waves go down.
    pub directions: View<u32>,
    /// Box of number 0.
    pub first: u32,
    /// Number of boxes.
    pub count: u32,
    /// Boxes whose children the families are, [`NONE`] behind the last.
    pub families: View<u32>,
    /// Family of each box, or [`NONE`].
    pub family_of: View<u32>,
    /// Complex waves of one way.
    pub waves: u32,
    /// Way, set, part, wave, then family.
    pub sets: View<T>,
    /// Way, part, wave, then box.
    pub received: ViewMut<T>,
}

/// A complex number of a lane.
type Complex<T> = complex::Complex<Lane<T>>;

/// A lane's family, and the families whose waves of one way it receives.
struct Work<'a, T, const BOUNDED: usize> {
    args: &'a Gather<T>,
    way: usize,
    parent: usize,
    sources: Array<u32, ACROSS>,
}

/// Adds up the waves of the nine families on one side, and hands them to the children of a family: see `expansions`,
/// `Shifts::gather`. Cost: 26 products of complex numbers a wave.
#[inline(always)]
pub(crate) fn gather<T: Real, const BOUNDED: usize>(args: Gather<T>) {
    let warps = thread::block_dim_x() / warp::SIZE;
    let task = thread::block_idx_y() * warps + thread::thread_idx_x() / warp::SIZE;
    let family = (thread::block_idx_x() * warp::SIZE + warp::lane_id()) as usize;
    let (way, first) = ((task & 1) as usize, (task >> 1) as usize * WAVES);
    if family >= args.families.len() {
        return;
    }
    let parent = args.families.get(family);
    if parent == NONE {
        return;
    }
    let parent = parent as usize;
    let mut sources = Array::<u32, ACROSS>::filled(NONE);
    for across in 0..ACROSS {
        let direction = args.directions.get(way * ACROSS + across) as usize;
        let source = args.boxes.colleague.get(direction * args.boxes.count as usize + parent);
        // Boxes without children send nothing.
        sources[across] = if source == NONE { NONE } else { args.family_of.get(source as usize) };
    }
    let work = Work::<T, BOUNDED> { args: &args, way, parent, sources };
    for wave in first..(args.waves as usize).min(first + WAVES) {
        work.wave(wave);
    }
}

impl<T: Real, const BOUNDED: usize> Work<'_, T, BOUNDED> {
    #[inline(always)]
    fn number(&self, wave: usize, k: usize) -> T {
        self.args.numbers.get(wave * N_NUMBERS + k)
    }

    #[inline(always)]
    fn phase(&self, wave: usize, k: usize) -> Complex<T> {
        Complex { re: Lane(self.number(wave, k)), im: Lane(self.number(wave, k + 1)) }
    }

    /// Phase at the place (u + 1) + 3 (v + 1) of a family.
    #[inline(always)]
    fn parent(&self, wave: usize, across: usize) -> Complex<T> {
        let phase = |k: usize| self.phase(wave, number::PARENT + 2 * k);
        match across {
            0 => phase(2).conjugate(),
            1 => phase(1).conjugate(),
            2 => phase(3),
            3 => phase(0).conjugate(),
            4 => Complex::one(),
            5 => phase(0),
            6 => phase(3).conjugate(),
            7 => phase(1),
            _ => phase(2),
        }
    }

    /// Phase at a child's place across.
    #[inline(always)]
    fn child(&self, wave: usize, place: usize) -> Complex<T> {
        let phase = |k: usize| self.phase(wave, number::CHILD + 2 * k);
        match place {
            0 => phase(0).conjugate(),
            1 => phase(1),
            2 => phase(1).conjugate(),
            _ => phase(0),
        }
    }

    /// Wave that a family sends from its children of a side.
    #[inline(always)]
    fn sent(&self, source: usize, side: usize, across: usize, wave: usize) -> Complex<T> {
        let (waves, stride) = (self.args.waves as usize, self.args.families.len());
        let mut sum = Complex::zero();
        for set in 0..1 << BOUNDED {
            if acts(BOUNDED, set, across) {
                let place = (self.way * (2 << BOUNDED) + side + 2 * set) * 2 * waves + wave;
                let number = |place: usize| Lane(self.args.sets.get(place * stride + source));
                sum = sum.plus(Complex { re: number(place), im: number(place + waves) });
            }
        }
        sum
    }

    #[expect(
        clippy::needless_range_loop,
        reason = "loops over constants keep the arrays in registers"
    )]
    #[inline(always)]
    fn wave(&self, wave: usize) {
        let factor = self.number(wave, number::FACTOR);
        let mut received = [Complex::<T>::zero(); 4];
        // The farther children of the sources act on all receivers, the nearer ones on the farther half.
        for side in 0..2 {
            let mut sums = [Complex::<T>::zero(); ACROSS];
            for across in 0..ACROSS {
                let source = self.sources[across];
                if source != NONE {
                    let x = self.sent(source as usize, side, across, wave);
                    let sum = &mut sums[class_of(BOUNDED, across)];
                    *sum = sum.add_product(x, self.parent(wave, across).conjugate());
                }
            }
            let scale =
                factor * self.number(wave, if side == 0 { number::RISE } else { number::FALL });
            for octant in 0..4 {
                let mut sum = received[octant].plus(sums[4]);
                let (u, v) = (2 * (octant & 1), 6 * (octant >> 1));
                if BOUNDED > 0 {
                    sum = sum.plus(sums[3 + u]);
                }
                if BOUNDED > 1 {
                    sum = sum.plus(sums[1 + v]).plus(sums[u + v]);
                }
                received[octant] = sum;
                let value = sum.times(Lane(scale));
                let value = Complex::zero().add_product(value, self.child(wave, octant));
                self.put(octant | (side ^ self.way) << 2, wave, value);
            }
        }
    }

    /// Hands a wave to a child, by the octant of the frame.
    #[inline(always)]
    fn put(&self, octant: usize, wave: usize, value: Complex<T>) {
        let Gather { boxes, octants, first, count, waves, received, .. } = *self.args;
        let child =
            boxes.child.get(octants.get(octant) as usize * boxes.count as usize + self.parent);
        if child != NONE {
            let (waves, count) = (waves as usize, count as usize);
            let place = self.way * 2 * waves + wave;
            let at = place * count + (child - first) as usize;
            received.set(at, value.re.0);
            received.set(at + waves * count, value.im.0);
        }
    }
}
