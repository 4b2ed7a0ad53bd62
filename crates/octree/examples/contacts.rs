//! Fixed-radius search: all pairs of points that touch, as a granular or molecular simulation needs them.

use octree::Error;
use octree::neighbors::Neighbors;

/// The pairs `[i, j]` with i < j at most `radius` apart, ascending.
fn contacts(points: &[[f64; 3]], radius: f64) -> Result<Vec<[usize; 2]>, Error> {
    let near = Neighbors::of(points)?.within(radius)?;
    let after = |i: usize| near.row(i).iter().map(|&j| j as usize).filter(move |&j| j > i);
    Ok((0..points.len()).flat_map(|i| after(i).map(move |j| [i, j])).collect())
}

/// Points that fill the unit cube evenly.
fn points(n: u32) -> Vec<[f64; 3]> {
    (0..n)
        .map(|i| [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|c| (c * f64::from(i)).fract()))
        .collect()
}

fn main() -> Result<(), Error> {
    let (n, radius) = (100_000, 0.02);
    let pairs = contacts(&points(n), radius)?;
    let each = 2.0 * pairs.len() as f64 / f64::from(n);
    println!("{n} points, {} pairs within {radius}: {each:.1} contacts a point", pairs.len());
    Ok(())
}

#[test]
fn contacts_are_those_of_all_pairs() -> Result<(), Error> {
    let points = points(600);
    for radius in [0.0, 0.03, 0.2, 2.0] {
        let near = |i: usize, j: usize| {
            let squares = (0..3).map(|d| (points[i][d] - points[j][d]).powi(2));
            squares.sum::<f64>() <= radius * radius
        };
        let all = (0..points.len()).flat_map(|i| (i + 1..points.len()).map(move |j| [i, j]));
        let expected: Vec<[usize; 2]> = all.filter(|&[i, j]| near(i, j)).collect();
        assert_eq!(contacts(&points, radius)?, expected);
    }
    Ok(())
}
