//! Numbers of boxes in the merged tree: decided on the host, from the first and last box of each slot of each device.

use crate::device::{View, ViewMut};
use crate::machine::{Launcher, MachineError};
use crate::memory::Grown;
use crate::tree::morton::SLOTS;
use std::ops::Range;
use std::vec;
use std::vec::Vec;

/// Boxes of one device by slot: first, one after the last, and the keys of the first and of the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotBoxes {
    ends: Vec<[u64; 4]>,
}

impl SlotBoxes {
    /// Boxes of these slots; none means no boxes.
    pub fn new(ends: Vec<[u64; 4]>) -> Self {
        Self { ends }
    }

    /// The slots, to be sent.
    pub fn ends(&self) -> &[[u64; 4]] {
        &self.ends
    }

    /// Number of boxes.
    pub fn n_boxes(&self) -> usize {
        self.ends.last().map_or(0, |ends| ends[1] as usize)
    }

    /// One more than the deepest level with boxes.
    pub fn n_levels(&self) -> usize {
        let is_full = |[begin, end, ..]: &[u64; 4]| begin < end;
        self.ends.iter().rposition(is_full).map_or(0, |slot| slot / 8 + 1)
    }

    fn of(&self, slot: usize) -> [u64; 4] {
        self.ends.get(slot).copied().unwrap_or_default()
    }
}

/// Places of the boxes of several devices, which follow each other on the curve, in the merged order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Layout {
    /// First box of each slot, then the number of boxes.
    starts: Vec<u32>,
    /// Shifts by device and slot: the merged number of a box less its number on the device, modulo 2³².
    shifts: Vec<Vec<u32>>,
}

impl Layout {
    fn new(devices: &[&SlotBoxes]) -> Self {
        let mut starts = vec![0];
        let mut shifts = vec![Vec::new(); devices.len()];
        let mut next = 0_u32;
        for slot in 0..SLOTS {
            let mut last = None;
            for (boxes, shifts) in devices.iter().zip(&mut shifts) {
                let [begin, end, first_key, last_key] = boxes.of(slot);
                let n = (end - begin) as u32;
                // A shared box has one number.
                next -= u32::from(n > 0 && last == Some(first_key));
                shifts.push(next.wrapping_sub(begin as u32));
                next += n;
                last = if n > 0 { Some(last_key) } else { last };
            }
            starts.push(next);
        }
        Self { starts, shifts }
    }
}

/// Number of distinct boxes of several devices, which follow each other on the curve.
pub(super) fn distinct(devices: &[&SlotBoxes]) -> usize {
    Layout::new(devices).starts[SLOTS] as usize
}

/// Numbers of own boxes, and of those that other devices sent, in the merged tree.
#[derive(Debug)]
pub struct BoxNumbers<M: Launcher> {
    starts: Vec<u32>,
    /// Place of the own boxes among those of all devices.
    rank: usize,
    /// Boxes of each device among those of all.
    boxes: Vec<Range<usize>>,
    /// Shifts of each device, [`SLOTS`] each.
    shifts: Grown<M, u32>,
    numbers: Grown<M, u32>,
}

impl<M: Launcher> BoxNumbers<M> {
    /// Numbers for the boxes `own` of device `rank` and for those that the `others` sent, in their order. Memory: 4 bytes a box.
    ///
    /// # Errors
    /// If the device has not enough memory.
    pub fn new(
        machine: &M,
        rank: usize,
        own: &SlotBoxes,
        others: &[SlotBoxes],
    ) -> Result<Self, MachineError> {
        let mut devices: Vec<&SlotBoxes> = others.iter().collect();
        devices.insert(rank, own);
        let Layout { starts, shifts: of_devices } = Layout::new(&devices);
        let mut n = 0;
        let mut boxes = Vec::new();
        for device in devices {
            boxes.push(n..n + device.n_boxes());
            n += device.n_boxes();
        }
        let (mut shifts, mut numbers) = (Grown::new(), Grown::new());
        shifts.upload(machine, &of_devices.concat())?;
        numbers.reserve(machine, n)?;
        Ok(Self { starts, rank, boxes, shifts, numbers })
    }

    /// Number of distinct boxes of devices that follow each other on the curve.
    pub fn count(devices: &[SlotBoxes]) -> usize {
        distinct(&devices.iter().collect::<Vec<_>>())
    }

    /// Number of each own box in the merged tree.
    pub fn own(&self) -> View<u32> {
        self.of_device(self.rank)
    }

    /// Number of each box that another device sent, in the order of its records.
    pub fn of_other(&self, other: usize) -> View<u32> {
        self.of_device(self.device_of(other))
    }

    /// First box of each slot of the merged tree, then the number of boxes.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Shifts and numbers of the own boxes.
    pub(crate) fn own_mut(&mut self) -> (View<u32>, ViewMut<u32>) {
        self.of_device_mut(self.rank)
    }

    /// Shifts and numbers of the boxes that another device sent.
    pub(crate) fn of_other_mut(&mut self, other: usize) -> (View<u32>, ViewMut<u32>) {
        self.of_device_mut(self.device_of(other))
    }

    /// Place among all devices of another one.
    fn device_of(&self, other: usize) -> usize {
        if other < self.rank { other } else { other + 1 }
    }

    fn of_device(&self, device: usize) -> View<u32> {
        let Range { start, end } = self.boxes[device];
        self.numbers.view(end).part(start, end - start)
    }

    fn of_device_mut(&mut self, device: usize) -> (View<u32>, ViewMut<u32>) {
        let Range { start, end } = self.boxes[device];
        let shifts = self.shifts.view((device + 1) * SLOTS).part(device * SLOTS, SLOTS);
        (shifts, self.numbers.view_mut(end).part(start, end - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(slots: &[(usize, &[u64])]) -> SlotBoxes {
        let mut ends = vec![[0; 4]; SLOTS];
        let mut next = 0;
        for (slot, end) in ends.iter_mut().enumerate() {
            let keys = slots.iter().find(|(of, _)| *of == slot).map_or(&[][..], |(_, keys)| keys);
            let first = keys.first().copied().unwrap_or_default();
            let last = keys.last().copied().unwrap_or_default();
            *end = [next, next + keys.len() as u64, first, last];
            next += keys.len() as u64;
        }
        SlotBoxes::new(ends)
    }

    /// The root and box 5 of slot 9 are shared; the second device has nothing in slot 10.
    #[test]
    fn shared_boxes_have_one_number() {
        let devices = [
            boxes(&[(0, &[0]), (9, &[1, 3, 5]), (10, &[2])]),
            boxes(&[(0, &[0]), (9, &[5])]),
            boxes(&[(0, &[0]), (9, &[5, 7]), (10, &[4, 6])]),
        ];
        let all: Vec<&SlotBoxes> = devices.iter().collect();
        let Layout { starts, shifts } = Layout::new(&all);
        let number = |device: usize, slot: usize, k: u64| {
            let first = devices[device].of(slot)[0];
            shifts[device][slot].wrapping_add((first + k) as u32)
        };
        assert_eq!([starts[0], starts[1], starts[9], starts[10], starts[11]], [0, 1, 1, 5, 8]);
        assert_eq!([0, 1, 2].map(|device| number(device, 0, 0)), [0; 3]);
        assert_eq!([0, 1, 2].map(|k| number(0, 9, k)), [1, 2, 3]);
        assert_eq!(number(1, 9, 0), 3);
        assert_eq!([0, 1].map(|k| number(2, 9, k)), [3, 4]);
        assert_eq!([0, 1].map(|k| number(2, 10, k)), [6, 7]);
        assert_eq!(distinct(&all), 8);
    }
}
