//! Sets that a user is likely to have: even, hollow and concentrated ones, and published data.

use super::{Parts, Row, SEED, Size, equal, mixed};
use crate::clouds;

pub(super) const ROWS: &[Row] = &[
    ("cube-equal", |size| equal(clouds::uniform_cube(count(size), SEED + 80).positions)),
    ("cube-mixed", |size| mixed(clouds::uniform_cube(count(size), SEED + 80).positions)),
    ("surface-equal", |size| equal(clouds::sphere_surface(count(size), SEED + 81).positions)),
    ("surface-mixed", |size| mixed(clouds::sphere_surface(count(size), SEED + 81).positions)),
    ("plummer-equal", |size| equal(clouds::plummer(count(size), SEED + 82).positions)),
    ("plummer-mixed", |size| mixed(clouds::plummer(count(size), SEED + 82).positions)),
    ("galaxy-equal", |size| equal(clouds::galaxy(count(size), SEED + 83).positions)),
];

/// Names of the cases of published data, with their own charges and with charges of both signs.
pub(super) const DATA: [&str; 4] = ["pal5-own", "pal5-mixed", "achbp-own", "achbp-mixed"];

fn count(size: Size) -> usize {
    size.of(20_000, 600)
}

/// The published data of a name.
pub(super) fn data(name: &str) -> Result<Option<(&'static str, Parts)>, formats::Error> {
    let Some(name) = DATA.into_iter().find(|known| *known == name) else { return Ok(None) };
    let cloud = if name.starts_with("pal5") { clouds::pal5()? } else { clouds::achbp()? };
    let own = name.ends_with("own");
    let parts = match own {
        true => Parts::new(cloud.positions, cloud.charges),
        false => mixed(cloud.positions),
    };
    Ok(Some((name, parts)))
}
