//! The octree of a galaxy: a section in the plane of its disk.

use nbody::initial_conditions::disk_galaxy;
use octree::{Depth, Octree};

use super::Outcome;
use super::drawing::{Anchor, BLUE, Drawing, GREY};

const POINTS: usize = 60_000;
const LEAF_CAPACITY: usize = 32;

/// Half the side of the square that is drawn, in scale lengths of the disk.
const HALF: f64 = 4.5;

/// Points this far from the plane of the section are drawn.
const SLAB: f64 = 0.12;

const SIZE: f64 = 600.0;

/// Leaves that the plane z = 0 cuts, and the points near the plane.
pub(crate) fn draw() -> Outcome {
    let galaxy = disk_galaxy(POINTS, 1);
    let tree = Octree::build(&galaxy.positions, Depth::Adaptive { leaf_capacity: LEAF_CAPACITY })?;
    let place = |x: f64, y: f64| [x, -y].map(|c| 0.5 * SIZE * (1.0 + c / HALF));
    let near = galaxy
        .positions
        .iter()
        .filter(|[x, y, z]| z.abs() < SLAB && x.abs() < HALF && y.abs() < HALF);
    let dots: Vec<[f64; 2]> = near.map(|[x, y, _]| place(*x, *y)).collect();
    let mut squares = Vec::new();
    for &b in tree.leaves() {
        let key = tree.key(b as usize);
        let ([x, y, z], side) = (tree.cube().center(key), tree.cube().side_at(key.level()));
        let half = 0.5 * side;
        // Boxes are half open, so that the plane cuts one of two that touch it.
        let cut = z - half <= 0.0 && 0.0 < z + half;
        let inside = [x, y].iter().all(|c| c - half < HALF && c + half > -HALF);
        if cut && inside {
            squares.push((place(x - half, y + half), side * SIZE / (2.0 * HALF)));
        }
    }
    let mut drawing = Drawing::new([SIZE, SIZE + 38.0]);
    drawing.begin_window(SIZE);
    drawing.dots(&dots, BLUE, 1.6);
    drawing.squares(&squares, GREY, 0.7);
    drawing.end_window();
    let caption = format!(
        "{} of {} leaves, at most {LEAF_CAPACITY} of {POINTS} points in each",
        squares.len(),
        tree.leaves().len()
    );
    drawing.text([0.5 * SIZE, SIZE + 25.0], 20.0, Anchor::Middle, &caption);
    Ok(drawing.finish("Leaves of the octree of a disk galaxy, in the plane of the disk"))
}
