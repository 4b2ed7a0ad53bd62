//! The recursive walk: the reference that the iterative one is tested against.

use super::visitor::Visitor;
use crate::tree::octree::Octree;

/// Walks the tree by recursion (Nakasato, fig. 4): the same visits as [`Links::walk`](super::Links::walk), in
/// the same sequence. Sources are numbered in tree order.
pub fn walk_recursive<V: Visitor + ?Sized>(tree: &Octree, visitor: &mut V) {
    if tree.n_boxes() > 0 {
        visit(tree, 0, visitor);
    }
}

fn visit<V: Visitor + ?Sized>(tree: &Octree, b: usize, visitor: &mut V) {
    let sources = tree.sources(b);
    if sources.is_empty() {
        return;
    }
    if sources.len() == 1 {
        visitor.particle(sources.start);
    } else if !visitor.opens(b) {
        visitor.cell(b);
    } else if tree.is_leaf(b) {
        sources.for_each(|i| visitor.particle(i));
    } else {
        tree.children(b).for_each(|child| visit(tree, child, visitor));
    }
}
