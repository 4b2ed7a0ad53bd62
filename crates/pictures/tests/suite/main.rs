//! Pictures, movies and pages, in one program.

mod diagrams;
mod movies;
mod page;
mod surface;
