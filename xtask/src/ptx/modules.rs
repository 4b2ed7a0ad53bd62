//! PTX cut into modules of one kernel each, so that a device reads and compiles only kernels that it runs.

use std::collections::HashMap;
use std::ops::Range;

/// PTX text and the places of its declarations and definitions.
#[derive(Debug)]
pub(super) struct Ptx {
    text: String,
    items: Vec<Item>,
    /// Index of each item by its name.
    names: HashMap<String, usize>,
}

/// Declaration or definition, from its directive to its semicolon or closing brace.
#[derive(Debug)]
struct Item {
    span: Range<usize>,
    name: String,
}

impl Ptx {
    pub(super) fn new(text: String) -> Self {
        let spans = spans(&text);
        let items: Vec<Item> = spans
            .into_iter()
            .map(|span| Item { name: name_of(&text[span.clone()]).into(), span })
            .collect();
        let names = items.iter().enumerate().map(|(i, item)| (item.name.clone(), i)).collect();
        Self { text, items, names }
    }

    /// Module with the entry point `name` and all items that it refers to, `None` if there is no such entry.
    pub(super) fn module(&self, name: &str) -> Option<String> {
        let entry = self.entry(name)?;
        let header = self.items.first().map_or(0, |item| item.span.start);
        let mut needed = vec![false; self.items.len()];
        let mut open = vec![entry];
        while let Some(index) = open.pop() {
            if std::mem::replace(&mut needed[index], true) {
                continue;
            }
            // A function may be declared before it is defined: both have its name.
            let same = |i: &usize| self.items[*i].name == self.items[index].name;
            open.extend((0..self.items.len()).filter(same));
            let words = identifiers(&self.text[self.items[index].span.clone()]);
            open.extend(words.filter_map(|word| self.names.get(word)));
        }
        let chosen = self.items.iter().zip(&needed).filter(|(_, needed)| **needed);
        let mut module = String::from(&self.text[..header]);
        for (item, _) in chosen {
            module.push_str(&self.text[item.span.clone()]);
            module.push('\n');
        }
        Some(module)
    }

    /// Names of the entry points.
    pub(super) fn entries(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter(|item| self.is_entry(item)).map(|item| item.name.as_str())
    }

    fn entry(&self, name: &str) -> Option<usize> {
        let index = *self.names.get(name)?;
        self.is_entry(&self.items[index]).then_some(index)
    }

    fn is_entry(&self, item: &Item) -> bool {
        self.text[item.span.clone()].split_whitespace().take(2).any(|word| word == ".entry")
    }
}

/// Places of the items: from a directive at the beginning of a line, outside of braces, to the semicolon or the brace that
/// ends it.
fn spans(text: &str) -> Vec<Range<usize>> {
    const HEADER: [&str; 3] = [".version", ".target", ".address_size"];
    let mut spans = Vec::new();
    let (mut start, mut depth, mut offset) = (None, 0_usize, 0);
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default().trim_end();
        if start.is_none() && code.starts_with('.') && !HEADER.iter().any(|h| code.starts_with(h)) {
            start = Some(offset);
        }
        depth += code.matches('{').count();
        depth = depth.saturating_sub(code.matches('}').count());
        offset += line.len();
        if depth == 0 && code.ends_with([';', '}']) {
            spans.extend(start.take().map(|start| start..offset));
        }
    }
    spans
}

/// Name of an item. The name of a function follows its directive and the returned parameters; the name of a variable
/// precedes its length, its value or the end.
fn name_of(item: &str) -> &str {
    let function = [".entry", ".func"].iter().find_map(|directive| item.split_once(directive));
    if let Some((_, rest)) = function {
        let rest = rest.trim_start();
        let returns = rest.starts_with('(').then(|| rest.split_once(')')).flatten();
        return identifiers(returns.map_or(rest, |(_, rest)| rest)).next().unwrap_or_default();
    }
    let declaration = item.split(['[', '=', ';']).next().unwrap_or_default();
    declaration.split_whitespace().last().unwrap_or_default()
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$')
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "//\n// Generated\n//\n\n.version 7.0\n.target sm_80\n.address_size 64\n\n\
        .extern .shared .align 16 .b8 block_memory[];\n.global .align 4 .b8 TABLE[8] = {1, 2, 3, 4,\n5, 6, 7, 8};\n\
        .func  (.param .b32 func_retval0) helper(\n\t.param .b32 helper_param_0\n)\n;\n\
        \t// .globl\tONE\n.visible .entry ONE(\n\t.param .align 8 .b8 ONE_param_0[40]\n)\n{\n\
        \t{ .reg .b32 t; mov.b32 t, TABLE; }\n\tcall.uni (retval0), helper, (param0);\n\tret;\n\n}\n\
        .visible .entry ONE_MORE(\n\t.param .u64 ONE_MORE_param_0\n)\n.maxntid 128\n{\n\tmov.u32 %r1, block_memory;\n\tret;\n}\n\
        .func  (.param .b32 func_retval0) helper(\n\t.param .b32 helper_param_0\n)\n{\n\tret;\n}\n";

    #[test]
    fn a_module_has_one_entry_and_what_it_refers_to() {
        let ptx = Ptx::new(SAMPLE.to_string());
        assert_eq!(ptx.entries().collect::<Vec<_>>(), ["ONE", "ONE_MORE"]);
        let one = ptx.module("ONE").unwrap();
        assert!(one.starts_with("//\n// Generated\n") && one.ends_with("}\n\n"));
        assert!(one.contains(".address_size 64") && one.contains("5, 6, 7, 8};"));
        assert_eq!(one.matches(") helper(").count(), 2);
        assert!(!one.contains("ONE_MORE") && !one.contains("block_memory"));
        let more = ptx.module("ONE_MORE").unwrap();
        assert!(more.contains("block_memory[];") && more.contains(".maxntid 128"));
        assert!(!more.contains("TABLE") && !more.contains("helper"));
        for absent in ["helper", "TABLE", "TWO", ""] {
            assert!(ptx.module(absent).is_none());
        }
    }
}
