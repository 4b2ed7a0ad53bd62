//! Bounded fuzzing in CI, and the corpus: inputs that failed once.

use std::fs;
use std::path::{Path, PathBuf};

use testbed::fuzz::problems::{self, Problem, judge};
use testbed::fuzz::readers::{self, Folder, Input, Outcome};
use testbed::fuzz::{Dice, misuse};

/// Seed of the bounded runs.
const SEED: u64 = 20;

fn corpus(name: &str) -> impl Iterator<Item = PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbed/corpus").join(name);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths.into_iter()
}

/// One line a failure, each with the command that runs it again.
fn assert_none(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn damaged_files_are_read_or_refused() {
    let folder = Folder::new("test").unwrap();
    let sound = readers::sound_files(&folder).unwrap();
    let (mut failures, mut read) = (Vec::new(), 0);
    for iteration in 0..20_000 {
        match readers::throw(&mut Dice::new(SEED, iteration), &sound, &folder) {
            Ok(outcome) => read += usize::from(outcome == Outcome::Points),
            Err((failure, _)) => failures.push(format!(
                "{failure}: cargo xtask fuzz readers --seed {SEED} --first {iteration} --executions 1"
            )),
        }
    }
    assert_none(&failures);
    // Damage that spoils every file tests the first line of a reader only.
    assert!((2000..18_000).contains(&read), "{read} files were read");
}

#[test]
fn small_problems_keep_the_tolerance() {
    let (mut failures, mut kept) = (Vec::new(), 0);
    for iteration in 0..300 {
        match problems::throw(&mut Dice::new(SEED, iteration)) {
            Ok(outcome) => kept += usize::from(matches!(outcome, problems::Outcome::Kept(_))),
            Err((failure, _)) => failures.push(format!(
                "{failure}: cargo xtask fuzz problems --seed {SEED} --first {iteration} --executions 1"
            )),
        }
    }
    assert_none(&failures);
    assert!(kept > 150, "{kept} problems were summed");
}

#[test]
fn misuse_is_refused() {
    let mut failures = Vec::new();
    for iteration in 0..500 {
        if let Err(failure) = misuse::throw(&mut Dice::new(SEED, iteration)) {
            failures.push(format!(
                "{failure}: cargo xtask fuzz misuse --seed {SEED} --first {iteration} --executions 1"
            ));
        }
    }
    assert_none(&failures);
}

#[test]
fn files_of_the_corpus_are_read_or_refused() {
    let folder = Folder::new("corpus").unwrap();
    let mut failures = Vec::new();
    for path in corpus("readers") {
        let name = path.file_name().unwrap().display();
        let input = Input::from_file(&path).unwrap();
        for selection in readers::selections() {
            if let Err(failure) = readers::check(&input, &selection, &folder) {
                failures.push(format!("{name} with {selection:?}: {failure}"));
            }
        }
    }
    assert_none(&failures);
}

#[test]
fn problems_of_the_corpus_keep_the_tolerance() {
    let mut failures = Vec::new();
    for path in corpus("problems") {
        let name = path.file_name().unwrap();
        let problem: Problem = fs::read_to_string(&path).unwrap().parse().unwrap();
        if let Err(failure) = judge(&problem) {
            failures.push(format!("{}: {failure}", name.display()));
        }
    }
    assert_none(&failures);
}
