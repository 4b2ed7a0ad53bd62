//! TIPSY and GADGET files by hand, as other programs write them, and damaged ones.

use crate::common::with_file;
use formats::{Snapshot, read_snapshot};

/// Positions 0, 1, 2 …, velocities and masses from the index of the particle.
fn expected(count: usize) -> Snapshot {
    let row = |i: usize, offset: f64| [0.0, 1.0, 2.0].map(|k| offset + 3.0 * i as f64 + k);
    Snapshot {
        time: 2.5,
        step: 0,
        positions: (0..count).map(|i| row(i, 0.0)).collect(),
        velocities: (0..count).map(|i| row(i, 100.0)).collect(),
        masses: (0..count).map(|i| 0.5 + i as f64).collect(),
        ids: (0..count as u64).collect(),
    }
}

/// Writes numbers in either order of bytes.
#[derive(Clone, Copy)]
struct Endian(bool);

impl Endian {
    fn order<const N: usize>(self, mut bytes: [u8; N]) -> [u8; N] {
        if self.0 {
            bytes.reverse();
        }
        bytes
    }

    fn word(self, value: u32) -> [u8; 4] {
        self.order(value.to_le_bytes())
    }

    fn float(self, value: f64, wide: bool) -> Vec<u8> {
        match wide {
            true => self.order(value.to_le_bytes()).to_vec(),
            false => self.order((value as f32).to_le_bytes()).to_vec(),
        }
    }
}

/// A file of one gas, two dark and two star particles.
fn tipsy(endian: Endian) -> Vec<u8> {
    let snapshot = expected(5);
    let mut bytes = endian.float(snapshot.time, true);
    for number in [5, 3, 1, 2, 2, 0] {
        bytes.extend(endian.word(number));
    }
    for (i, floats) in [12, 9, 9, 11, 11].into_iter().enumerate() {
        let numbers = [snapshot.masses[i]]
            .into_iter()
            .chain(snapshot.positions[i])
            .chain(snapshot.velocities[i])
            .chain(std::iter::repeat_n(-7.0, floats - 7));
        bytes.extend(numbers.flat_map(|number| endian.float(number, false)));
    }
    bytes
}

/// A file of two gas particles, with masses in a block, and three of the halo, of masses 0.5 each.
fn gadget(endian: Endian, labelled: bool, wide: bool) -> Vec<u8> {
    let snapshot = expected(5);
    let mut header = vec![0; 256];
    header[..4].copy_from_slice(&endian.word(2));
    header[4..8].copy_from_slice(&endian.word(3));
    header[32..40].copy_from_slice(&endian.float(0.5, true));
    header[72..80].copy_from_slice(&endian.float(snapshot.time, true));
    header[124..128].copy_from_slice(&endian.word(1));
    let floats = |values: &[f64]| values.iter().flat_map(|&v| endian.float(v, wide)).collect();
    let ids = snapshot.ids.iter().flat_map(|&id| match wide {
        true => endian.order(id.to_le_bytes()).to_vec(),
        false => endian.word(id as u32).to_vec(),
    });
    let blocks: [(&[u8; 4], Vec<u8>); 6] = [
        (b"HEAD", header),
        (b"POS ", floats(snapshot.positions.as_flattened())),
        (b"VEL ", floats(snapshot.velocities.as_flattened())),
        (b"ID  ", ids.collect()),
        (b"MASS", floats(&snapshot.masses[..2])),
        (b"U   ", floats(&[1.0, 2.0])),
    ];
    let record = |content: &[u8]| {
        let length = endian.word(content.len() as u32);
        [&length, content, &length].concat()
    };
    let mut bytes = Vec::new();
    for (label, content) in blocks {
        if labelled {
            bytes.extend(record(&[*label, endian.word(content.len() as u32 + 8)].concat()));
        }
        bytes.extend(record(&content));
    }
    bytes
}

#[test]
fn tipsy_of_all_kinds_in_both_orders() {
    for endian in [Endian(false), Endian(true)] {
        let read = with_file("stars.00128", &tipsy(endian), |path| read_snapshot(path).unwrap());
        assert_eq!(read, expected(5));
    }
}

#[test]
fn gadget_in_all_forms() {
    let mut expected = expected(5);
    expected.masses[2..].fill(0.5);
    for form in 0..8 {
        let [big, labelled, wide] = [1, 2, 4].map(|bit| form & bit > 0);
        let bytes = gadget(Endian(big), labelled, wide);
        let read = with_file("snapshot_000", &bytes, |path| read_snapshot(path).unwrap());
        assert_eq!(read, expected, "{big} {labelled} {wide}");
    }
}

/// The message for a file, without its folder.
fn refused(bytes: &[u8]) -> String {
    let message = with_file("a", bytes, |path| read_snapshot(path).unwrap_err().to_string());
    message.split_once("/a: ").unwrap().1.to_owned()
}

#[test]
fn damage_is_told_with_its_place() {
    let mut bytes = gadget(Endian(false), false, false);
    bytes[260] = 24;
    assert_eq!(
        refused(&bytes),
        "is not a sound GADGET file (a record of 256 bytes ends with 280, at byte 260); copy or write it again"
    );
    let mut bytes = gadget(Endian(false), false, false);
    bytes[128] = 8;
    assert_eq!(refused(&bytes), "is one of 8 files of a snapshot; join them into one");
    let mut bytes = gadget(Endian(true), true, false);
    bytes[4 * 4 + 4..][..4].copy_from_slice(&[255; 4]);
    assert_eq!(
        refused(&bytes),
        "is not a sound GADGET file (the block POS of 12884901894 numbers has 60 bytes, at byte 296); copy or write it again"
    );
    let mut bytes = tipsy(Endian(true));
    // A billion dark particles in a file of some hundred bytes.
    bytes[8..12].copy_from_slice(&1_000_000_003u32.to_be_bytes());
    bytes[20..24].copy_from_slice(&1_000_000_000u32.to_be_bytes());
    assert_eq!(
        refused(&bytes),
        "is not a sound TIPSY file (1000000003 particles take 36000000136 bytes, and 208 follow, at byte 32); copy or write it again"
    );
}

#[test]
fn cut_files_are_refused() {
    for form in 0..8 {
        let [big, labelled, wide] = [1, 2, 4].map(|bit| form & bit > 0);
        let bytes = gadget(Endian(big), labelled, wide);
        // The block U, which is last, may be missing.
        let used = bytes.len() - if wide { 24 } else { 16 } - if labelled { 16 } else { 0 };
        for length in (8..used).filter(|length| length % 3 == 0) {
            with_file("a", &bytes[..length], |path| read_snapshot(path).unwrap_err());
        }
    }
    let bytes = tipsy(Endian(true));
    for length in 32..bytes.len() {
        with_file("a", &bytes[..length], |path| read_snapshot(path).unwrap_err());
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let mut bytes = tipsy(Endian(false));
    bytes[36..40].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(
        refused(&bytes),
        "positions[0, 0] is NaN, expected a finite number; correct or remove the point"
    );
}
