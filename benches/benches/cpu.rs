//! The FMM on the CPU: pipelines beside their errors, direct sum, several vectors, choices, scaling.
//!
//! `cargo xtask bench cpu` runs all sections and adds a row to `docs/performance.md`. After `--` come
//! the names of sections (pipeline, direct, vectors, choices, scaling), `--quick` for small sets and no
//! row, or `--large` for 10⁷ points.

use benches::cpu::{Extent, Failure, choices, direct, pipeline, record, scaling, vectors};

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let extent = match (has("--quick"), has("--large")) {
        (true, _) => Extent::Quick,
        (false, true) => Extent::Large,
        (false, false) => Extent::Whole,
    };
    let all = arguments.iter().all(|argument| argument.starts_with("--"));
    println!("{} threads, {}", rayon::current_num_threads(), lanes::Arch::best().name());
    if all || has("direct") {
        direct::section(extent)?;
    }
    if all || has("pipeline") {
        let summary = pipeline::section(extent)?;
        if extent != Extent::Quick {
            print!("\n{}", record::append(&summary)?);
        }
    }
    if all || has("vectors") {
        vectors::section(extent)?;
    }
    if all || has("choices") {
        choices::section(extent)?;
    }
    if all || has("scaling") {
        scaling::section(extent)?;
    }
    Ok(())
}
