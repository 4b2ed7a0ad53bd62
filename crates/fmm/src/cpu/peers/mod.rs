//! Peers: others that take part in the passes of this process.
//!
//! | file | what |
//! |---|---|
//! | `ghosts.rs` | what a process has of others: sources, and multipoles that come from there |
//! | `walks.rs` | the same of walks, whose cells and sources come for each vector of charges |
//! | `near_device.rs` | another device for the near pairs |

pub(super) mod ghosts;
pub(super) mod near_device;
pub(super) mod walks;
