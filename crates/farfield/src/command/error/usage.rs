//! Errors of the command line, in one line.

use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::Error;
use clap::error::{ContextKind, ErrorKind};

/// The message of an error that is no request for help.
pub(crate) fn message(error: &Error) -> String {
    let part = |kind| error.get(kind).map(ToString::to_string).filter(|text| !text.is_empty());
    let argument = part(ContextKind::InvalidArg).unwrap_or_else(|| "an argument".to_owned());
    let value = part(ContextKind::InvalidValue);
    let fault = match (error.kind(), &value) {
        (ErrorKind::ArgumentConflict, _) => match part(ContextKind::PriorArg) {
            Some(prior) if prior == argument => format!("{argument} is given twice; give it once"),
            Some(prior) => format!("{argument} cannot be used with {prior}; drop one of them"),
            None => format!("{argument} cannot be used with others given here; drop it"),
        },
        (ErrorKind::InvalidValue | ErrorKind::ValueValidation, None) => {
            format!("{argument} has no value; give one")
        }
        (ErrorKind::InvalidValue, Some(value)) => match part(ContextKind::ValidValue) {
            Some(valid) => format!("{value:?} is no value of {argument}; choose one of {valid}"),
            None => format!("{value:?} is no value of {argument}; choose another"),
        },
        (ErrorKind::ValueValidation, Some(value)) => {
            format!("{value:?} is no value of {argument}{}", cause(error))
        }
        (ErrorKind::TooManyValues, Some(value)) => {
            format!("{argument} takes no value such as {value:?}; drop the value")
        }
        (ErrorKind::UnknownArgument, _) if is_negative(&argument) => {
            format!(
                "{argument} is taken for an option; write a negative value as in --name={argument}"
            )
        }
        (ErrorKind::UnknownArgument, _) => match part(ContextKind::SuggestedArg) {
            Some(similar) => format!("{argument} is not known; use {similar}"),
            None => format!("{argument} is not known; drop it"),
        },
        (ErrorKind::InvalidSubcommand, _) => {
            let name = part(ContextKind::InvalidSubcommand).unwrap_or_default();
            format!(
                "{name:?} is no subcommand; use evaluate, generate, tree, bench, simulate, render, plot or view"
            )
        }
        (ErrorKind::MissingRequiredArgument, _) => format!("{argument} is missing; give it"),
        (kind, _) => kind.as_str().unwrap_or("the arguments make no sense").to_owned(),
    };
    format!("{fault}, see --help")
}

/// Whether an argument that looks like an option is a negative number.
fn is_negative(argument: &str) -> bool {
    argument.starts_with('-')
        && argument.contains(|c: char| c.is_ascii_digit())
        && !argument.starts_with("--")
}

/// The reason why a value was refused, with the cure.
fn cause(error: &Error) -> String {
    let Some(source) = std::error::Error::source(error) else {
        return "; choose another".to_owned();
    };
    match source.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
        Some(IntErrorKind::Zero) => "; give 1 or more".to_owned(),
        Some(_) => "; give a whole number".to_owned(),
        None if source.is::<ParseFloatError>() => "; give a number".to_owned(),
        None => format!(": {source}"),
    }
}
