//! Pictures of the book, drawn from the library's own trees, lists, expansions and reports as SVG.
//!
//! ```sh
//! cargo run --release -p testbed --bin book_pictures                # all of them
//! cargo run -p testbed --bin book_pictures -- tree lists orders molecule   # those that do not measure time
//! ```
//!
//! The files go to `docs/pictures`. Trees, lists, potentials and errors are the same in every run; bars are measured anew.

mod drawing;
mod lists;
mod molecule;
mod orders;
mod stages;
mod tree;

use std::error::Error;
use std::fs;
use std::path::Path;

type Outcome = Result<String, Box<dyn Error>>;

/// Function that draws a picture.
type Draw = fn() -> Outcome;

/// Name and drawing of each picture.
const PICTURES: [(&str, Draw); 5] = [
    ("tree", tree::draw),
    ("lists", lists::draw),
    ("molecule", molecule::draw),
    ("orders", orders::draw),
    ("stages", stages::draw),
];

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let known = |name: &String| PICTURES.iter().any(|picture| picture.0 == name);
    if let Some(unknown) = asked.iter().find(|name| !known(name)) {
        return Err(format!(
            "no picture is named {unknown:?}; name tree, lists, molecule, orders or stages"
        )
        .into());
    }
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures"));
    for (name, draw) in PICTURES {
        if asked.is_empty() || asked.iter().any(|word| word == name) {
            let path = folder.join(format!("{name}.svg"));
            fs::write(&path, draw()?)?;
            println!("wrote {}", path.display());
        }
    }
    Ok(())
}
