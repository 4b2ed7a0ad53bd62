//! Figure 1: the neighbourhoods E1 to E4 of a box in two dimensions.
//!
//! A box of a quadtree is a box of the octree's lowest layer, because both interleave x and y in the same way and differ in
//! the bits of z alone.

use octree::Key;
use octree::morton;
use octree::neighborhood::{e2, e4, in_e3};

use crate::drawing::{Boxes, grids};

/// Level of the figure's boxes.
const LEVEL: u8 = 3;
/// Morton index of the shaded box, two bits a level.
pub(super) const INDEX: u64 = 40;

const SHADE: &str = "#f0b040";

/// The box of the lowest layer at a column and a row.
fn at(x: u32, y: u32) -> Key {
    Key::from_code(LEVEL, morton::code_of([x, y, 0]))
}

/// Column and row of a box by its two-dimensional Morton index.
fn place(index: u64) -> [u32; 2] {
    let bit = |k: u32, axis: u32| ((index >> (2 * k + axis)) & 1) << k;
    [0, 1].map(|axis| (0..u32::from(LEVEL)).map(|k| bit(k, axis) as u32).sum())
}

/// Numbers of boxes in E2, E3 and E4 of the shaded box, in two dimensions.
pub(super) fn counts() -> [usize; 3] {
    let own = shaded();
    let all = || (0..1 << (2 * LEVEL)).map(|i| at(i % (1 << LEVEL), i >> LEVEL));
    let inside = |boxes: Vec<Key>| all().filter(|key| boxes.contains(key)).count();
    [
        inside(e2(own).collect()),
        all().filter(|key| in_e3(own, *key)).count(),
        inside(e4(own).collect()),
    ]
}

fn shaded() -> Key {
    let [x, y] = place(INDEX);
    at(x, y)
}

/// The figure: one panel a neighbourhood.
pub(super) fn figure() -> String {
    let own = shaded();
    let (near, far): (Vec<Key>, Vec<Key>) = (e2(own).collect(), e4(own).collect());
    let shade = |yes: bool| yes.then_some(SHADE);
    let panels = [
        Boxes { name: "E1", fill: Box::new(move |x, y| shade(at(x, y) == own)) },
        Boxes { name: "E2", fill: Box::new(move |x, y| shade(near.contains(&at(x, y)))) },
        Boxes { name: "E3", fill: Box::new(move |x, y| shade(in_e3(own, at(x, y)))) },
        Boxes { name: "E4", fill: Box::new(move |x, y| shade(far.contains(&at(x, y)))) },
    ];
    grids(u32::from(LEVEL), &panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two-dimensional Morton index of a box.
    fn index(x: u32, y: u32) -> u64 {
        (0..u32::from(LEVEL))
            .map(|k| u64::from(x >> k & 1) << (2 * k) | u64::from(y >> k & 1) << (2 * k + 1))
            .sum()
    }

    #[test]
    fn indices_and_places_are_inverse() {
        let [x, y] = place(INDEX);
        assert_eq!(index(x, y), INDEX);
        assert_eq!([x, y], [0, 6], "40 is 10 10 00: y in the odd bits");
    }

    /// The box lies at the left edge: 6 boxes touch it or are it, and 4 × 6 − 6 more are below its parent's neighbours.
    #[test]
    fn neighbourhoods_are_those_of_the_plane() {
        let [e2, e3, e4] = counts();
        assert_eq!(e2 + e3, 64);
        let (x, y) = (0i32, 6i32);
        let brute = |of: &dyn Fn(i32, i32) -> bool| (0..64).filter(|i| of(i % 8, i / 8)).count();
        let near = |u: i32, v: i32| (u - x).abs() <= 1 && (v - y).abs() <= 1;
        let parents = |u: i32, v: i32| (u / 2 - x / 2).abs() <= 1 && (v / 2 - y / 2).abs() <= 1;
        assert_eq!(e2, brute(&near));
        assert_eq!(e4, brute(&|u, v| parents(u, v) && !near(u, v)));
    }
}
