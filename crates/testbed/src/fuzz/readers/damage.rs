//! Kinds of damage to a file.

use super::super::Dice;
use super::{Content, Input, Sound};

/// Words that numbers and names in texts are replaced by.
const WORDS: [&str; 28] = [
    "",
    "0",
    "-",
    "nan",
    "NaN",
    "inf",
    "-Infinity",
    "1e999",
    "-1e-999",
    "1e308",
    "1e-320",
    "0x10",
    "1_000",
    "1,5",
    "99999999999999999999",
    "18446744073709551615",
    "-1",
    "+.5e+1",
    ".",
    "e5",
    "\"",
    "\"a",
    "#",
    "\u{feff}",
    "é",
    "\0",
    "\u{1b}[31m",
    "x",
];

/// Words of headers of arrays.
const HEADER: [&str; 20] = [
    "(3, 3)",
    "(0, 3)",
    "(3, 0)",
    "(4,)",
    "()",
    "(2, 3, 4)",
    "(4611686018427387904, 4)",
    "(-1, 3)",
    "(18446744073709551615,)",
    "(99999999999, 3)",
    "'<f8'",
    "'<f2'",
    "'|O'",
    "'<c16'",
    "True",
    "False",
    "'shape'",
    "'descr'",
    "{",
    "}",
];

/// Numbers that overwrite lengths and counts.
const COUNTS: [u64; 12] =
    [0, 1, 2, 3, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 62, u64::MAX];

/// The largest file that is made: damage adds to a file at most what it holds.
const LARGEST: usize = 1 << 16;

/// A sound file with damage inside, around or both.
pub fn damaged(dice: &mut Dice, sound: &[Sound]) -> Input {
    let mut file = sound[dice.below(sound.len())].clone();
    let other = inner(&sound[dice.below(sound.len())]).to_vec();
    let inside = !dice.chance(15);
    if inside {
        match &mut file.content {
            Content::Plain(bytes) | Content::Gzip(bytes) => damage(dice, bytes, &other),
            Content::Archive(members, _) => {
                let index = dice.below(members.len());
                let (name, bytes) = &mut members[index];
                match dice.below(10) {
                    0 => name.insert_str(0, dice.pick(&["x", "../", "/", "", "é"])),
                    1 => drop(members.remove(index)),
                    _ => damage(dice, bytes, &other),
                }
            }
        }
    }
    let mut input = file.pack();
    if !inside || dice.chance(5) {
        damage(dice, &mut input.bytes, &other);
    }
    if dice.chance(3) {
        let others = ["csv", "dat", "pqr", "xyz", "npy", "npz", "csv.gz", "npy.gz", "pqr.gz"];
        input.extension = dice.pick(&others).to_owned();
    }
    input
}

fn inner(file: &Sound) -> &[u8] {
    match &file.content {
        Content::Plain(bytes) | Content::Gzip(bytes) => bytes,
        Content::Archive(members, _) => members.first().map_or(&[], |(_, bytes)| bytes),
    }
}

/// Damages of random kinds: mostly one or two, at most eight.
fn damage(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    let most = dice.pick(&[1, 1, 2, 8]);
    for _ in 0..=dice.below(most) {
        match dice.below(11) {
            0 => flip(dice, bytes),
            1 => overwrite(dice, bytes),
            2 => drop(bytes.drain(range(dice, bytes.len()))),
            3 => {
                let copy = bytes[range(dice, bytes.len())].to_vec();
                insert(dice, bytes, &copy);
            }
            4 => bytes.truncate(dice.below(bytes.len() + 1)),
            5 => {
                bytes.truncate(dice.below(bytes.len() + 1));
                bytes.extend(&other[range(dice, other.len())]);
            }
            6 => count(dice, bytes),
            7 => swap_words(dice, bytes),
            8 => replace_word(dice, bytes, &WORDS),
            9 => header(dice, bytes),
            _ => {
                let word = dice.pick(&["\n", "\r", "\r\n", " ", ",", "\t", "\n\n", "# ", "\""]);
                insert(dice, bytes, word.as_bytes());
            }
        }
        bytes.truncate(LARGEST);
    }
}

/// A range of at most 64 places, or now and then of any length.
fn range(dice: &mut Dice, length: usize) -> std::ops::Range<usize> {
    let start = dice.below(length + 1);
    let longest = if dice.chance(80) { (length - start).min(64) } else { length - start };
    start..start + dice.below(longest + 1)
}

fn insert(dice: &mut Dice, bytes: &mut Vec<u8>, what: &[u8]) {
    let at = dice.below(bytes.len() + 1);
    bytes.splice(at..at, what.iter().copied());
}

fn flip(dice: &mut Dice, bytes: &mut [u8]) {
    if !bytes.is_empty() {
        bytes[dice.below(bytes.len())] ^= 1 << dice.below(8);
    }
}

fn overwrite(dice: &mut Dice, bytes: &mut [u8]) {
    if !bytes.is_empty() {
        let value = match dice.chance(50) {
            true => dice.pick(b"\0\xff\n,. -e9\"'#("),
            false => dice.below(256) as u8,
        };
        bytes[dice.below(bytes.len())] = value;
    }
}

/// Overwrites a length or a count of 1 to 8 bytes.
fn count(dice: &mut Dice, bytes: &mut [u8]) {
    let size = dice.pick(&[1, 2, 4, 8]);
    if bytes.len() >= size {
        // Lengths stand near the beginning of arrays and near the end of archives.
        let places = bytes.len() - size + 1;
        let near = dice.below(places.min(40));
        let anywhere = dice.below(places);
        let at = dice.pick(&[near, places - 1 - near, anywhere]);
        let value = dice.pick(&COUNTS);
        bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
}

/// The places of words between white space and commas, in the first kilobytes.
fn words(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut start = 0;
    for (at, byte) in bytes.iter().chain(b" ").enumerate().take(4096) {
        if b" ,\t\r\n".contains(byte) {
            if at > start {
                words.push(start..at);
            }
            start = at + 1;
        }
    }
    words
}

fn swap_words(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let words = words(bytes);
    if !words.is_empty() {
        let [a, b] = [dice.below(words.len()), dice.below(words.len())].map(|k| words[k].clone());
        let copy = bytes[a].to_vec();
        bytes.splice(b, copy);
    }
}

fn replace_word(dice: &mut Dice, bytes: &mut Vec<u8>, by: &[&str]) {
    let words = words(bytes);
    if !words.is_empty() {
        let at = words[dice.below(words.len())].clone();
        bytes.splice(at, dice.pick(by).bytes());
    }
}

/// Replaces a part of the header of an array: what stands between brackets, quotes or a colon and a comma.
fn header(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let marks: Vec<usize> =
        (0..bytes.len().min(200)).filter(|&at| b"(){}':".contains(&bytes[at])).collect();
    if marks.len() < 2 {
        return replace_word(dice, bytes, &HEADER);
    }
    let first = dice.below(marks.len() - 1);
    let (start, end) = (marks[first], marks[first + 1]);
    bytes.splice(start..=end, dice.pick(&HEADER).bytes());
}

#[cfg(test)]
mod tests {
    use super::super::{Folder, sound_files};
    use super::*;

    #[test]
    fn damage_is_bounded_and_repeats() {
        let folder = Folder::new("damage").unwrap();
        let sound = sound_files(&folder).unwrap();
        for iteration in 0..500 {
            let make = || damaged(&mut Dice::new(3, iteration), &sound);
            let input = make();
            assert_eq!(input, make());
            assert!(input.bytes.len() <= 2 * LARGEST);
        }
    }
}
