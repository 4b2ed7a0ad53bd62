//! The program `farfield`; its subcommands are in `command`.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::run()
}
