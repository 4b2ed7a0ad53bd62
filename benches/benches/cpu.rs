//! The FMM on the CPU: pipelines beside their errors, direct sum, choices, gravity in f32.
//!
//! `cargo xtask bench cpu` runs all sections and adds a row to `docs/performance.md`. After `--` come
//! the names of sections (pipeline, direct, choices, gravity), or `--quick` for small sets and no row.
//! `cargo xtask papers --performance` measures the other tables of that page.

use benches::cpu::{Extent, Failure, choices, direct, gravity, pipeline, record};

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let extent = if has("--quick") { Extent::Quick } else { Extent::Whole };
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
    if all || has("choices") {
        choices::section(extent)?;
    }
    if all || has("gravity") {
        gravity::section(extent)?;
    }
    Ok(())
}
