//! Pictures of N-body simulations: surface densities, movies, diagrams, and an interactive 3D page.
//!
//! [`surface_density`] projects points onto the pixels of a picture as a [`Camera`] sees them, [`draw`] gives colours and
//! labels, [`write_png`] and [`Movie`] encode. A [`Film`] does this for the snapshots of a simulation. [`plot`] draws diagrams,
//! [`view`] writes the page.
//!
//! ```
//! use pictures::{Camera, Colours, Labels, Scale, Size, draw, surface_density, write_png};
//!
//! let positions: Vec<[f64; 3]> = (0..500).map(|i| [0.01, 0.02, 0.03].map(|k| (k * i as f64).sin())).collect();
//! let camera = Camera::new([0.0, -1.0, 0.5], [0.0; 3], 3.0)?;
//! let density = surface_density(&positions, &[1.0; 500], &camera, Size { width: 320, height: 200 })?;
//! let scale = Scale::of([&density]).ok_or("nothing to see")?;
//! let image = draw(&density, &camera, scale, Colours::Inferno, &Labels::default())?;
//! let mut file = Vec::new();
//! write_png(&mut file, &image)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod camera;
mod colours;
mod encode;
mod error;
mod extent;
mod film;
mod frame;
mod image;
mod memory;
mod numbers;
mod overlay;
mod parse;
pub mod plot;
mod scale;
mod surface;
mod text;
mod view;

pub use camera::{Camera, Size};
pub use colours::Colours;
pub use encode::{Movie, MovieForm, MovieFormat, write_png};
pub use error::Error;
pub use extent::Extent;
pub use film::{Film, FilmOptions, read_masses};
pub use frame::draw;
pub use image::Image;
pub use overlay::Labels;
pub use parse::{Form, IdRanges, Vector};
pub use scale::Scale;
pub use surface::{SurfaceDensity, surface_density};
pub use view::{Page, PointColours, ViewOptions, view};
