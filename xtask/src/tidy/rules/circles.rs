//! The files of a crate import each other in no circle.
//!
//! An import is a name that one file takes from the file that defines it, by `use` or by a path.
//! Three things close no circle: a re-export that its own file does not use; names that a file
//! takes from the `mod.rs` above it, which holds what its folder shares; and names that the root
//! exports, since public types may name each other. Tests are left out.

use std::collections::{BTreeSet, VecDeque};

use super::Finding;
use crate::tidy::reading::imports::{Import, Modules};
use crate::tidy::reading::source::Tree;

/// Names that a finding spells out for each arrow.
const NAMES: usize = 4;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    Modules::of_targets(tree).iter().flat_map(check_target).collect()
}

/// One finding for each circle that is the shortest one through some file.
fn check_target(target: &Modules<'_>) -> Vec<Finding> {
    let imports: Vec<Vec<Import>> = (0..target.len())
        .map(|file| {
            let mut imports = target.imports(file);
            imports.retain(|import| !target.is_above(import.from, file));
            imports
        })
        .collect();
    let arrows: Vec<Vec<usize>> =
        imports.iter().map(|imports| imports.iter().map(|import| import.from).collect()).collect();
    let circles: BTreeSet<Vec<usize>> =
        (0..target.len()).filter_map(|file| circle_through(&arrows, file)).collect();
    circles.iter().map(|circle| finding(target, &imports, circle)).collect()
}

/// The shortest circle through a file, begun at its first file; `None` if there is none.
fn circle_through(arrows: &[Vec<usize>], start: usize) -> Option<Vec<usize>> {
    let mut before = vec![None; arrows.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for &next in &arrows[file] {
            if next == start {
                let mut circle: Vec<usize> =
                    std::iter::successors(Some(file), |&file| before[file]).collect();
                circle.reverse();
                let first = (0..circle.len()).min_by_key(|&at| circle[at]).unwrap_or(0);
                circle.rotate_left(first);
                return Some(circle);
            }
            if before[next].is_none() {
                before[next] = Some(file);
                queue.push_back(next);
            }
        }
    }
    None
}

fn finding(target: &Modules<'_>, imports: &[Vec<Import>], circle: &[usize]) -> Finding {
    let mut what = String::from("imports run in a circle: ");
    for (at, &file) in circle.iter().enumerate() {
        let next = circle[(at + 1) % circle.len()];
        let names: Vec<&str> = imports[file]
            .iter()
            .filter(|import| import.from == next)
            .map(|import| import.name.as_str())
            .collect();
        let more = if names.len() > NAMES { ", …" } else { "" };
        let names = names[..names.len().min(NAMES)].join(", ");
        what += &format!("{} → [{names}{more}] ", short(&target.get(file).source.path));
    }
    what += short(&target.get(circle[0]).source.path);
    let first = circle[0];
    let next = circle.get(1).copied().unwrap_or(first);
    let line = imports[first].iter().find(|import| import.from == next).map_or(1, |i| i.line);
    Finding {
        path: target.get(first).source.path.clone(),
        line,
        what,
        cure: "move what both use into a file below both".into(),
    }
}

/// A path from the crate's `src` folder on.
fn short(path: &str) -> &str {
    path.split_once("/src/").map_or(path, |(_, inside)| inside)
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    const ROOT: (&str, &str) =
        ("a/src/lib.rs", "mod b;\nmod c;\nmod d;\npub use d::P;\npub(crate) use b::B;\n");

    #[test]
    fn a_circle_is_told_with_its_names() {
        let b = ("a/src/b.rs", "use crate::c::C;\npub struct B(C);\n");
        let c = ("a/src/c.rs", "pub struct C;\nfn f() -> super::d::D {}\n");
        let d = ("a/src/d.rs", "pub struct D;\nfn f(b: crate::B) {}\n");
        let files = [ROOT, b, c, d].map(|(path, text)| (path.to_owned(), text.to_owned()));
        let findings = check(&Tree::new(files.into_iter()).unwrap());
        assert_eq!(findings.len(), 1);
        let told = "b.rs → [C] c.rs → [D] d.rs → [B] b.rs";
        assert!(findings[0].what.ends_with(told), "{}", findings[0].what);
        assert_eq!((findings[0].path.as_str(), findings[0].line), ("a/src/b.rs", 1));
    }

    #[test]
    fn exports_and_tests_close_no_circle() {
        let b =
            ("a/src/b.rs", "use crate::c::C;\npub struct B(C);\n#[cfg(test)]\nuse crate::d::D;\n");
        let c = ("a/src/c.rs", "use crate::P;\npub struct C;\n");
        let d =
            ("a/src/d.rs", "use super::{b, B};\npub struct D;\npub struct P;\nfn f(b: b::B) {}\n");
        assert!(lines(check, &[ROOT, b, c, d]).is_empty());
        let c = ("a/src/c.rs", "use crate::d::P;\npub struct C;\n");
        assert_eq!(lines(check, &[ROOT, b, c, d]), [("a/src/b.rs".into(), 1)]);
    }

    #[test]
    fn a_folder_shares_what_its_mod_rs_holds() {
        let parent =
            ("a/src/e/mod.rs", "mod f;\npub(crate) use f::g;\nstruct E;\nfn h() { g() }\n");
        let child = ("a/src/e/f.rs", "use super::E;\npub fn g() {}\n");
        assert!(lines(check, &[ROOT, parent, child]).is_empty());
        let sibling = ("a/src/b.rs", "use crate::e::g;\npub fn g2() {}\n");
        let back = ("a/src/e/f.rs", "use crate::b::g2;\npub fn g() {}\n");
        assert_eq!(lines(check, &[ROOT, parent, back, sibling]), [("a/src/e/f.rs".into(), 1)]);
    }
}
