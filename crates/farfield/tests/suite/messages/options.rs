//! Messages of the libraries as the command's users read them: with its options, and without paths and names of Rust.

#[path = "../../../src/command/error/wording.rs"]
mod wording;

use wording::in_options;

/// Files with the errors that the command hands on.
const SOURCES: [&str; 18] = [
    "../fmm/src/api/error.rs",
    "../fmm/src/api/device.rs",
    "../fmm/src/api/options.rs",
    "../octree/src/error.rs",
    "../distributed/src/error.rs",
    "../../kernels-gpu/src/machine/error.rs",
    "../formats/src/error.rs",
    "../formats/src/memory.rs",
    "../formats/src/points/column.rs",
    "../nbody/src/system.rs",
    "../nbody/src/integrate/stepper.rs",
    "../nbody/src/models/king.rs",
    "../pictures/src/error.rs",
    "../pictures/src/parse.rs",
    "src/device_system/mod.rs",
    "src/command/error/mod.rs",
    "src/command/error/drawing.rs",
    "src/command/simulate/error.rs",
];

/// Errors of calls that no subcommand makes, by the beginning of their messages.
const OF_PROGRAMS: [&str; 8] = [
    // Plans of other sets of points or of another float type than the calls on them.
    "the plan has separate receivers;",
    "the plan takes no earlier gradient;",
    "the plan's positions are f32 and the charges f64;",
    "the plan's positions are f32 and the new ones f64;",
    // Ranks that make different calls, or forget the end of a phase.
    "some ranks give an earlier gradient",
    "rank {rank} failed in this phase;",
    // Plans that go on after an error, and memory of other programs.
    "the plan has no points since",
    "the memory is not in the primary context",
];

/// The message of each error in a source, with the names of its values in braces.
fn messages(source: &str) -> Vec<String> {
    let messages = source.split("#[error(").skip(1).filter_map(|rest| {
        let text = rest.trim_start().strip_prefix('"')?;
        Some(text[..text.find('"')?].to_owned())
    });
    messages.collect()
}

/// A message without the names of its values.
fn without_values(message: &str) -> String {
    message.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect()
}

/// Whether a user of the command would read Rust: a path, a reference, code, or a name of several words.
fn is_rust(text: &str) -> bool {
    let joined = |word: &str| word.trim_matches('_').contains('_') && word != "UNSTRUCTURED_GRID";
    let words = || text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    ["::", "&", "`"].iter().any(|sign| text.contains(sign)) || words().any(joined)
}

#[test]
fn no_message_of_the_command_names_rust() {
    let mut of_programs = 0;
    for path in SOURCES {
        let source =
            std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let messages = messages(&source);
        assert!(!messages.is_empty(), "{path}");
        for message in messages {
            if OF_PROGRAMS.iter().any(|beginning| message.starts_with(beginning)) {
                of_programs += 1;
                continue;
            }
            let told = in_options(&without_values(&message));
            assert!(!is_rust(&told), "{path}: {told}");
        }
    }
    assert_eq!(of_programs, OF_PROGRAMS.len());
}

/// The messages with most to replace, whole.
#[test]
fn cures_are_options() {
    use fmm::Error;
    let rows = [
        (
            Error::DeviceMemory { needed: 90, free: 80 },
            "the plan takes about 90 bytes on the GPU, which has 80 bytes; use fewer points at once, --precision f32 or --device cpu",
        ),
        (
            Error::TreecodeOnHybrid,
            "hybrid devices have no treecode; choose --method fmm, --device cuda or --device cpu",
        ),
        (
            Error::WalkOverGpus,
            "over ranks with a GPU each the treecode goes on lists; choose --criterion neighbours or leave the criterion to the plan, or choose --method fmm or --device cpu",
        ),
        (
            Error::WalksOutOfReach { tolerance: 1e-10 },
            "the treecode's walks reach no tolerance of 1e-10 for these charges on this device; choose --criterion neighbours, --method fmm or --method auto, or give a larger tolerance",
        ),
        (
            Error::ToleranceOutOfReach {
                tolerance: 1e-9,
                smallest: 2e-6,
                precision: fmm::Precision::F32,
            },
            "a tolerance of 1e-9 cannot be reached with f32; ask for 2e-6 or more, or use --precision f64",
        ),
    ];
    for (error, expected) in rows {
        assert_eq!(in_options(&error.to_string()), expected);
    }
    let of_machine =
        "the device has no 90 bytes left; use fewer points at once, a larger leaf capacity, or f32";
    let told = "the device has no 90 bytes left; use fewer points at once or --precision f32";
    assert_eq!(in_options(of_machine), told);
}
