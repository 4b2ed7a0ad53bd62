//! Messages of the libraries in the words of the command: options stand for paths of Rust.

/// Parts of messages, and what stands for them. Of two that begin alike, the longer one comes first.
const OPTIONS: [(&str, &str); 9] = [
    // Leaves have the size of the plan's choice, without an option of most subcommands.
    (", larger leaves (Fmm::depth), f32", ", --precision f32"),
    (", a larger leaf capacity, or f32", " or --precision f32"),
    (", or use f64", ", or use --precision f64"),
    ("Device::Cpu", "--device cpu"),
    ("Device::Cuda", "--device cuda"),
    ("Method::Auto", "--method auto"),
    ("Method::Fmm", "--method fmm"),
    ("Opening::Neighbours", "--criterion neighbours"),
    ("Opening::Relative", "--criterion relative"),
];

/// A message with options of the command in place of values of the libraries.
pub(crate) fn in_options(message: &str) -> String {
    OPTIONS.iter().fold(message.to_owned(), |text, (value, option)| text.replace(value, option))
}
