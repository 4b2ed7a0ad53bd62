//! Leaves of which a check of a field knows places and errors to expect.

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::operators::expected::BoxErrors;
use kernels_gpu::operators::{Boxes, Geometry, NONE};
use octree::morton::coordinates_of;

/// Boxes of these keys and levels in the cube from 0 to 1.
pub(crate) fn boxes(key: View<u64>, level: View<u32>) -> Boxes<f64> {
    Boxes {
        cube: Geometry::new([0.0; 3], 1.0),
        count: key.len() as u32,
        key,
        level,
        range: View::EMPTY,
        parent: View::EMPTY,
        child: View::EMPTY,
        colleague: View::EMPTY,
        level_start: View::EMPTY,
    }
}

/// Leaves in the cube from 0 to 1, and the leaf of each receiver; none where no local expansions act.
#[derive(Default)]
pub(crate) struct Leaves<'a> {
    pub(crate) keys: &'a [u64],
    pub(crate) levels: &'a [u32],
    pub(crate) leaf_of: &'a [u32],
    /// Sizes of the last degrees of their local expansions.
    pub(crate) locals: &'a [f32],
    /// A box of each leaf whose multipole has an error in it, or `NONE`.
    pub(crate) sources: &'a [u32],
    pub(crate) order: u32,
}

/// Errors to expect in leaves on a device: multipoles of size 1, far boxes, whose error is 1 in the nearest face, local expansions
/// and other boxes as the leaves have them.
pub(crate) struct Errors<M: Launcher> {
    frames: M::Buffer<Vec4<f32>>,
    sizes: M::Buffer<f32>,
    worst: M::Buffer<u32>,
}

impl<M: Launcher> Errors<M> {
    pub(crate) fn of(machine: &M, leaves: &Leaves<'_>) -> Self {
        let Leaves { keys, levels, locals, sources, .. } = leaves;
        let frame = |(key, level): (&u64, &u32)| {
            let boxes = f32::exp2(*level as f32);
            let [x, y, z] = coordinates_of(*key).map(|c| (c as f32 + 0.5) / boxes);
            Vec4([x, y, z, boxes])
        };
        let frames: Vec<Vec4<f32>> = keys.iter().zip(*levels).map(frame).collect();
        let ones = vec![1.0; keys.len()];
        let none = vec![NONE; keys.len()];
        let sources = if sources.is_empty() { &none } else { *sources };
        Self {
            frames: machine.buffer_of(&frames).unwrap(),
            sizes: machine.buffer_of(&[&ones, *locals, &ones].concat()).unwrap(),
            worst: machine.buffer_of(&[&none, sources].concat()).unwrap(),
        }
    }

    pub(crate) fn view(&self) -> BoxErrors {
        BoxErrors { frames: self.frames.view(), sizes: self.sizes.view(), worst: self.worst.view() }
    }
}
