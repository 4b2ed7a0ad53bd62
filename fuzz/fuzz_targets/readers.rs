//! Bytes as a file: the first byte names the format and the selection, the others are the content.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use testbed::fuzz::readers::{self, Folder, Input};

const EXTENSIONS: [&str; 9] =
    ["csv", "dat", "pqr", "xyz", "npy", "npz", "csv.gz", "npy.gz", "pqr.gz"];

static FOLDER: LazyLock<Folder> =
    LazyLock::new(|| Folder::new("libfuzzer").expect("a folder for the file"));

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, content)) = bytes.split_first() else { return };
    let choice = usize::from(choice);
    let selections = readers::selections();
    let selection = &selections[choice / EXTENSIONS.len() % selections.len()];
    let extension = EXTENSIONS[choice % EXTENSIONS.len()].to_owned();
    let input = Input { extension, bytes: content.to_vec() };
    if let Err(failure) = readers::check(&input, selection, &FOLDER) {
        panic!("{failure}");
    }
});
