//! The cost table as Rust text.

use super::leaves::LeafCosts;
use super::pairs::{NearPair, PairCosts};
use super::walks::WalkCosts;
use crate::Outcome;
use crate::tables::{list, number};

/// All costs of a machine; fields are those of `fmm::choose::costs::Costs`.
pub(super) struct CostTable {
    pub(super) pairs: PairCosts,
    pub(super) checked: f64,
    pub(super) m2l: [f64; 3],
    pub(super) empty_offset: f64,
    pub(super) few_boxes: f64,
    pub(super) boxes_at_once: f64,
    pub(super) waves: [f64; 2],
    pub(super) wave_launches: f64,
    pub(super) one_box: [f64; 2],
    pub(super) point: [f64; 2],
    pub(super) fixed: [f64; 2],
    pub(super) m2p: [f64; 2],
    pub(super) p2l: [f64; 2],
    pub(super) leaves: LeafCosts,
    /// Variant of `ChargeKind`.
    pub(super) usual_charges: &'static str,
    pub(super) walk: WalkCosts,
    /// In the file of a GPU in f64.
    pub(super) near_pair: Option<NearPair>,
}

/// Digits of seconds after the point of the mantissa: medians differ from run to run in the second.
const DIGITS: usize = 2;

const NEAR_PAIR: &str = "pub(super) const NEAR_PAIR: f64 = ";

impl CostTable {
    /// The text below the module comment.
    pub(super) fn text(&self) -> String {
        let PairCosts { pair, symmetric, vector, sharers } = &self.pairs;
        let LeafCosts { smallest_leaf, capacity, smallest_capacity } = &self.leaves;
        let seconds = |values: &[f64]| list(values, DIGITS);
        let mut text = format!(
            "use super::{{Costs, WalkCosts}};\nuse crate::engine::ChargeKind;\n\n\
             pub(super) const COSTS: Costs = Costs {{\n\
             \x20   pair: {},\n\
             \x20   symmetric: {symmetric:.3},\n\
             \x20   checked: {:.1},\n\
             \x20   vector: {},\n\
             \x20   sharers: {sharers},\n\
             \x20   near_pair: None,\n\
             \x20   m2l: {},\n\
             \x20   empty_offset: {:.2},\n\
             \x20   few_boxes: {},\n\
             \x20   boxes_at_once: {:.1},\n\
             \x20   waves: {},\n\
             \x20   wave_launches: {},\n\
             \x20   one_box: {},\n\
             \x20   point: {},\n\
             \x20   fixed: {},\n\
             \x20   m2p: {},\n\
             \x20   p2l: {},\n\
             \x20   smallest_leaf: {smallest_leaf:.1},\n\
             \x20   capacity: {capacity:.3},\n\
             \x20   smallest_capacity: {smallest_capacity:.1},\n\
             \x20   usual_charges: ChargeKind::{},\n\
             \x20   walk: WalkCosts {{\n",
            seconds(pair),
            self.checked,
            seconds(vector),
            seconds(&self.m2l),
            self.empty_offset,
            number(self.few_boxes, DIGITS),
            self.boxes_at_once,
            seconds(&self.waves),
            number(self.wave_launches, DIGITS),
            seconds(&self.one_box),
            seconds(&self.point),
            seconds(&self.fixed),
            seconds(&self.m2p),
            seconds(&self.p2l),
            self.usual_charges,
        );
        text += &walk_text(&self.walk);
        text += "    },\n};\n";
        if let Some(near_pair) = self.near_pair {
            text += &format!("\n{}", near_pair_text(near_pair));
        }
        text
    }
}

fn walk_text(walk: &WalkCosts) -> String {
    let WalkCosts { leaf_capacity, group_capacity, largest_unrolled, .. } = walk;
    let fields = [
        ("leaf_capacity", leaf_capacity.to_string()),
        ("group_capacity", group_capacity.to_string()),
        ("listed", number(walk.listed, DIGITS)),
        ("cell", list(&walk.cell, DIGITS)),
        ("largest_unrolled", largest_unrolled.to_string()),
        ("large_cell", list(&walk.large_cell, DIGITS)),
        ("f32_cell", format!("{:.3}", walk.f32_cell)),
        ("f32_cells_from", number(walk.f32_cells_from, 0)),
        ("in_place", number(walk.in_place, 1)),
        ("centres", number(walk.centres, DIGITS)),
        ("multipoles", list(&walk.multipoles, DIGITS)),
    ];
    fields.map(|(name, value)| format!("        {name}: {value},\n")).concat()
}

fn near_pair_text(NearPair { seconds, cores }: NearPair) -> String {
    let cost = number(seconds * cores, DIGITS);
    format!(
        "/// Seconds of a near pair on the GPU in f64, times {cores:.1}, the work of all threads of the host over that of one: costs of\n\
         /// cores are those of one thread. The number of threads is not asked for, so that choices and bits are the same for any.\n\
         {NEAR_PAIR}{cost};\n"
    )
}

/// The text of a GPU's tables, without its module comment, with another cost of a near pair.
pub(super) fn replace_near_pair(text: &str, near_pair: NearPair) -> Outcome<String> {
    let lines = text.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
    let mut found = false;
    let mut replaced = String::new();
    for line in lines.filter(|line| !line.starts_with("///")) {
        if line.starts_with(NEAR_PAIR) {
            found = true;
            replaced += &near_pair_text(near_pair);
        } else {
            replaced += &format!("{line}\n");
        }
    }
    if found { Ok(replaced) } else { Err("the file has no NEAR_PAIR; give --device cuda".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::numbers;

    fn table() -> CostTable {
        CostTable {
            pairs: PairCosts {
                pair: [1e-9; 4],
                symmetric: 0.625,
                vector: [2e-11, 3e-11],
                sharers: 16,
            },
            checked: 1.3,
            m2l: [1e-9, 0.0, 4e-12],
            empty_offset: 0.5,
            few_boxes: 0.0,
            boxes_at_once: 1.0,
            waves: [0.0; 2],
            wave_launches: 0.0,
            one_box: [1e-6, 2e-8],
            point: [2e-7, 4e-10],
            fixed: [2e-4, 0.0],
            m2p: [50.0, 0.5],
            p2l: [0.0, 3.0],
            leaves: LeafCosts { smallest_leaf: 1.0, capacity: 0.875, smallest_capacity: 64.0 },
            usual_charges: "Alike",
            walk: WalkCosts {
                leaf_capacity: 32,
                group_capacity: 64,
                listed: 2.5e-10,
                cell: [3e-10, 9e-11],
                largest_unrolled: 6,
                large_cell: [3e-10, 1.5e-10],
                f32_cell: 0.5,
                f32_cells_from: f64::INFINITY,
                in_place: 0.5,
                centres: 5e-8,
                multipoles: [8e-8, 5e-9],
            },
            near_pair: Some(NearPair { seconds: 1.1e-12, cores: 10.0 }),
        }
    }

    /// Fields of the text are those of a table on file, so that the next run reads it.
    #[test]
    fn text_has_the_numbers_of_the_table() {
        let found = numbers(&table().text());
        assert_eq!(found["m2l"], [1e-9, 0.0, 4e-12]);
        assert_eq!(found["capacity"], [0.875]);
        assert_eq!(found["f32_cells_from"], [f64::INFINITY]);
        assert_eq!(found["NEAR_PAIR"], [1.1e-11]);
        let on_file =
            numbers(include_str!("../../../../../fmm/src/choose/costs/gpu_hopper_f64.rs"));
        assert_eq!(found.keys().collect::<Vec<_>>(), on_file.keys().collect::<Vec<_>>());
    }

    #[test]
    fn a_near_pair_is_replaced_alone() {
        let text = format!("//! Costs.\n\n{}", table().text());
        let near_pair = NearPair { seconds: 1e-12, cores: 20.0 };
        let replaced = replace_near_pair(&text, near_pair).unwrap();
        assert!(replaced.starts_with("use super"));
        assert!(replaced.contains("times 20.0") && !replaced.contains("times 10.0"));
        let (old, new) = (numbers(&text), numbers(&replaced));
        assert_eq!(new["NEAR_PAIR"], [2e-11]);
        assert!(old.iter().all(|(name, values)| name == "NEAR_PAIR" || new[name] == *values));
        assert!(replace_near_pair("//! None.\n", near_pair).is_err());
    }
}
