//! M2L by plane waves, for all levels at once.
//!
//! | file | kernels | a lane is |
//! |---|---|---|
//! | [`families`] | numbers of the boxes with children | a box |
//! | [`radiate`] | modes to waves, merged in families | a family, four directions |
//! | [`gather`] | waves of the families around to the children of a box | a family, two waves |
//! | `driver.rs` | launches, part by part of the quadratures | – |

#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod families;
pub mod gather;
pub mod radiate;
