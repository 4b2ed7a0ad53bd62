//! The interaction lists of one leaf, on points of a plane, so that a picture shows all of them.

use octree::{Csr, Depth, InteractionLists, ListOptions, Octree};

use super::Outcome;
use super::drawing::{Anchor, BLACK, Drawing, GREEN, GREY, ORANGE, PURPLE, SKY};

const POINTS: u32 = 900;
const LEAF_CAPACITY: usize = 6;
const SIZE: f64 = 600.0;

/// Side of what is drawn, in sides of the leaf.
const VIEW: f64 = 14.0;

/// Points of a plane: half of them even, half around a place beside the middle.
fn points() -> Vec<[f64; 3]> {
    let place = |i: u32| {
        let [u, v] = [0.754_877_666, 0.569_840_291].map(|c: f64| (c * f64::from(i)).fract());
        if i.is_multiple_of(2) {
            return [u, v, 0.5];
        }
        let (radius, angle) = (0.45 * u * u, std::f64::consts::TAU * v);
        [0.6 + radius * angle.cos(), 0.45 + radius * angle.sin(), 0.5]
    };
    (1..=POINTS).map(place).collect()
}

/// List, letter and colour, in the order of the legend.
fn rows(lists: &InteractionLists) -> [(&Csr, &'static str, &'static str); 4] {
    [
        (lists.near(), "U: near, P2P", SKY),
        (lists.far(), "V: far, M2L", ORANGE),
        (lists.m2p(), "W: smaller, M2P", GREEN),
        (lists.p2l(), "X: bigger, P2L", PURPLE),
    ]
}

/// The biggest leaf all of whose lists have two boxes at the least.
fn leaf(tree: &Octree, lists: &InteractionLists) -> Option<usize> {
    let leaves = tree.leaves().iter().map(|&b| b as usize);
    leaves.filter(|&b| rows(lists).iter().all(|(rows, ..)| rows.row(b).len() > 1)).min()
}

pub(crate) fn draw() -> Outcome {
    let points = points();
    let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: LEAF_CAPACITY })?;
    let lists = InteractionLists::build(&tree, ListOptions::default());
    let leaf = leaf(&tree, &lists).ok_or("no leaf has boxes in all lists")?;
    let cube = tree.cube();
    let (middle, side) = (cube.center(tree.key(leaf)), cube.side_at(tree.key(leaf).level()));
    let scale = SIZE / (VIEW * side);
    let place = |x: f64, y: f64| [x - middle[0], middle[1] - y].map(|c| 0.5 * SIZE + c * scale);
    let square = |b: usize| {
        let key = tree.key(b);
        let ([x, y, _], side) = (cube.center(key), cube.side_at(key.level()));
        (place(x - 0.5 * side, y + 0.5 * side), side * scale)
    };
    let mut drawing = Drawing::new([SIZE, SIZE + 76.0]);
    drawing.begin_window(SIZE);
    for (rows, _, colour) in rows(&lists) {
        for &source in rows.row(leaf) {
            let (corner, side) = square(source as usize);
            drawing.area(corner, [side; 2], colour);
        }
    }
    let leaves: Vec<_> = tree.leaves().iter().map(|&b| square(b as usize)).collect();
    drawing.squares(&leaves, GREY, 1.0);
    let places: Vec<[f64; 2]> = points.iter().map(|[x, y, _]| place(*x, *y)).collect();
    drawing.dots(&places, BLACK, 3.2);
    drawing.squares(&[square(leaf)], BLACK, 4.0);
    drawing.end_window();
    for (at, (rows, name, colour)) in rows(&lists).into_iter().enumerate() {
        let (x, y) = (20.0 + 290.0 * (at % 2) as f64, SIZE + 12.0 + 32.0 * (at / 2) as f64);
        drawing.area([x, y], [20.0, 20.0], colour);
        let text = format!("{name}, {} boxes", rows.row(leaf).len());
        drawing.text([x + 28.0, y + 16.0], 20.0, Anchor::Start, &text);
    }
    Ok(drawing.finish("The boxes of the lists U, V, W and X of one leaf"))
}
