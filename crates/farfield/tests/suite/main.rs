//! The command and the examples, in one program. Signals have one of their own, where nothing else delays them.

mod common;
mod examples;
mod failure;
mod inputs;
mod memory;
mod messages;
mod pictures;
mod ranks;
mod simulate;
mod snapshots;
mod success;
mod surfaces;
mod treecode;
