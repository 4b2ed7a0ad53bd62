//! Reproductions of the papers' own data structures, which no product path uses.
//!
//! Tests compare the [tree](crate::Octree), its [lists](crate::InteractionLists) and the
//! [group walk](crate::walk) with these; `testbed` reruns the papers' tables.
//!
//! | here | what | paper | cost |
//! |---|---|---|---|
//! | [`grid`] | one level of boxes, by the paper's names | Hu, Gumerov and Duraiswami (2012), sec. 3, Alg. 2–5 | O(N) |
//! | [`walk`] | the walk of one receiver along `next` and `more` links | Nakasato (2012), sec. 3, figs 3–6 | O(N) to link; O(log N) a walk at a fixed opening angle |
//! | [`curve`] | points along the Morton or the Peano–Hilbert curve | Nakasato (2012), tables 2–4 | O(N) |

pub mod curve;
pub mod grid;
pub mod walk;
