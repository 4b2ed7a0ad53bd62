//! x

use super::Finding;
use super::source::Tree;

pub(super) fn check(_tree: &Tree) -> Vec<Finding> {
    Vec::new()
}
