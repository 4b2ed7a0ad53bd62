//! M2L by plane waves, level by level, axis by axis, slab by slab.

use expansions::operators::{NO_ROW, Receiver, WaveAxis, WaveBuffer, WaveScratch, Waves};
use rayon::prelude::*;

use super::{Passes, TASK};
use crate::Scalar;
use crate::tasks::cut;
use crate::waves::WaveLevel;

/// Families that one task takes.
const FAMILIES: usize = 8;

/// What the families of the last three slabs sent.
pub(crate) type SentWaves<T> = [WaveBuffer<T>; 3];

impl<T: Scalar> Passes<'_, T> {
    /// The local expansions of all boxes from the multipoles of their far boxes.
    pub(super) fn waves(&self, multipoles: &[T], locals: &mut [T], sent: &mut SentWaves<T>) {
        let box_length = self.box_length();
        locals.par_chunks_mut(TASK * box_length).for_each(|rows| rows.fill(T::ZERO));
        for level in self.hierarchy.wave_levels() {
            for vector in 0..self.n_vectors {
                for axis in WaveAxis::ALL {
                    self.along(level, vector, axis, multipoles, locals, sent);
                }
            }
        }
    }

    /// The pairs of an axis and a level.
    fn along(
        &self,
        level: &WaveLevel,
        vector: usize,
        axis: WaveAxis,
        multipoles: &[T],
        locals: &mut [T],
        sent: &mut SentWaves<T>,
    ) {
        let tree = &self.hierarchy.tree;
        let slabs = level.slabs(axis);
        let children = |family: usize| tree.children(level.parents()[family] as usize);
        // The families' local expansions, along the axis.
        let Some(first) = level.parents().first() else { return };
        let start = tree.children(*first as usize).start * self.box_length();
        let lengths = (0..level.parents().len()).map(|f| children(f).len() * self.box_length());
        let mut parts: Vec<Option<&mut [T]>> =
            cut(&mut locals[start..], lengths).into_iter().map(Some).collect();
        let mut parts: Vec<&mut [T]> =
            slabs.order.iter().filter_map(|family| parts[*family as usize].take()).collect();
        let mut parts = parts.as_mut_slice();
        for slab in 0..=slabs.slabs.len() {
            if let Some(range) = slabs.slabs.get(slab) {
                let families = &slabs.order[range.clone()];
                self.send(level, vector, axis, families, multipoles, &mut sent[slab % 3]);
            }
            if slab > 0 {
                let range = slabs.slabs[slab - 1].clone();
                let families = &slabs.order[range.clone()];
                let part = parts.split_off_mut(..range.len()).unwrap_or_default();
                self.receive(level, vector, axis, families, sent, part);
            }
        }
    }

    /// The waves of the families of a slab.
    fn send(
        &self,
        level: &WaveLevel,
        vector: usize,
        axis: WaveAxis,
        families: &[u32],
        multipoles: &[T],
        sent: &mut WaveBuffer<T>,
    ) {
        let (tree, waves) = (&self.hierarchy.tree, self.operators.waves());
        let length = waves.sent_length(axis);
        let parts = sent.room(families.len() * length).par_chunks_mut(FAMILIES * length);
        let tasks = families.par_chunks(FAMILIES).zip(parts);
        tasks.for_each_init(WaveScratch::default, |scratch, (families, sent)| {
            let mut rows = [[NO_ROW; 8]; FAMILIES];
            for (rows, family) in rows.iter_mut().zip(families) {
                for child in tree.children(level.parents()[*family as usize] as usize) {
                    if !tree.sources(child).is_empty() {
                        let octant = usize::from(tree.key(child).octant());
                        rows[octant] = (child * self.n_vectors + vector) as u32;
                    }
                }
            }
            waves.send(axis, &rows[..families.len()], multipoles, sent, scratch);
        });
    }

    /// Adds what the families of a slab receive to their local expansions.
    fn receive(
        &self,
        level: &WaveLevel,
        vector: usize,
        axis: WaveAxis,
        families: &[u32],
        sent: &SentWaves<T>,
        locals: &mut [&mut [T]],
    ) {
        let (tree, waves) = (&self.hierarchy.tree, self.operators.waves());
        let (length, places) = (waves.sent_length(axis), &level.slabs(axis).places);
        let parts = locals.par_chunks_mut(FAMILIES);
        let tasks = families.par_chunks(FAMILIES).zip(parts);
        tasks.for_each_init(WaveScratch::default, |scratch, (families, locals)| {
            let mut receivers = Vec::with_capacity(FAMILIES);
            for (family, locals) in families.iter().zip(locals) {
                let family = *family as usize;
                let parent = level.parents()[family] as usize;
                if tree.receivers(parent).is_empty() {
                    continue;
                }
                let mut sources: [[&[T]; 9]; 2] = [[&[]; 9]; 2];
                for (source, offset) in level.neighbors(family) {
                    if let Some((way, across)) = Waves::<T>::slot(axis, offset) {
                        let (slab, place) = places[source];
                        let start = (2 * place as usize + way) * length / 2;
                        sources[way][across] = &sent[slab as usize % 3].numbers()[start..][..length / 2];
                    }
                }
                let mut rows = [NO_ROW; 8];
                for (i, child) in tree.children(parent).enumerate() {
                    if !tree.receivers(child).is_empty() {
                        let octant = usize::from(tree.key(child).octant());
                        rows[octant] = (i * self.n_vectors + vector) as u32;
                    }
                }
                receivers.push(Receiver { sources, locals, rows });
            }
            waves.receive(axis, &mut receivers, scratch);
        });
    }
}
