//! Every error message of files, requests, trees, ranks and the command, as users read it: one line with the cure.
//!
//! An error without a row in one of the tables fails here.

mod command;
mod files;
mod options;
mod pictures;
mod ranks;
mod requests;
mod simulations;

/// Compares messages with their texts, and their number with that of the errors in the sources.
fn check(rows: &[(String, &str)], sources: &[&str], others: usize) {
    for (message, expected) in rows {
        assert_eq!(message, expected);
        assert!(
            message.chars().count() <= 190,
            "{} characters: {message}",
            message.chars().count()
        );
        assert!(!message.contains(char::is_control), "{message}");
        let cure = ["; ", "use one of", "see --help"];
        assert!(cure.iter().any(|cure| message.contains(cure)), "no cure: {message}");
    }
    let count = |path: &&str| {
        let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap().matches("#[error(").count()
    };
    let errors: usize = sources.iter().map(count).sum();
    assert_eq!(rows.len() + others, errors, "a row for each error of {sources:?}");
}
