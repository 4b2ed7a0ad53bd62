//! Links against `octree::papers::walk::Links`, entry by entry.

use crate::clouds::{Cloud, clouds, device_points};
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::papers::links::{END, Links};
use kernels_gpu::tree::{Sets, Tree};
use octree::{Depth, Octree};
use std::collections::BTreeMap;

fn links_are_those_of_octree<M: Launcher>(machine: &M) {
    let mut links = Links::new();
    for Cloud { name, sources, receivers } in clouds() {
        for leaf_capacity in [1, 8] {
            let depth = Depth::Adaptive { leaf_capacity };
            let octree = match &receivers {
                Some(receivers) => Octree::build_between(&sources, receivers, depth),
                None => Octree::build(&sources, depth),
            };
            let octree = octree.unwrap();
            let points = machine.buffer_of(&device_points(&sources, receivers.as_deref())).unwrap();
            let sets = match receivers {
                Some(_) => Sets::Two { n_sources: sources.len() },
                None => Sets::One,
            };
            let tree = Tree::build(machine, points.view(), sets, depth, 1.0).unwrap();
            links.rebuild(machine, &tree).unwrap();

            let expected = octree::papers::walk::Links::build(&octree).unwrap();
            let (n, count) = (sources.len(), sources.len() + octree.n_boxes());
            assert_eq!((links.n_particles(), links.n_cells()), (n, octree.n_boxes()));
            let host = tree.to_host(machine).unwrap();
            let number: BTreeMap<(u32, u64), u32> = (0..octree.n_boxes())
                .map(|b| ((host.level[b], host.key[b]), (n + b) as u32))
                .collect();
            // An entry of the host's links in the numbers of this tree.
            let entry = |entry: u32| match (entry as usize).checked_sub(n) {
                Some(b) if entry != END => {
                    let key = octree.key(b);
                    number[&(u32::from(key.level()), key.code())]
                }
                _ => entry,
            };
            assert_eq!(links.root(), entry(expected.root()), "{name}");
            let [next, more] = links.memory().map(|memory| {
                let mut items = vec![0; count];
                memory.download(machine, &mut items).unwrap();
                items
            });
            for i in 0..count {
                let here = entry(i as u32) as usize;
                assert_eq!(next[here], entry(expected.next()[i]), "{name}, next of {i}");
                assert_eq!(more[here], entry(expected.more()[i]), "{name}, more of {i}");
            }
        }
    }
}

on_every_machine!(links_are_those_of_octree);
