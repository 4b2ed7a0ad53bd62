//! The modules of a crate, and which names a module takes from which other.

use std::collections::{BTreeMap, BTreeSet};

use super::code::Token;
use super::source::{Source, Tree};
use super::uses::{Use, defined, paths, statements, uses};

/// The modules of a target: a library or a program, without its tests.
pub(crate) struct Modules<'a> {
    modules: Vec<Module<'a>>,
}

/// A source file as a module.
pub(crate) struct Module<'a> {
    pub(crate) source: &'a Source,
    /// Names from the root of the target, which has none.
    path: Vec<&'a str>,
    uses: Vec<Use>,
    defined: BTreeSet<String>,
}

/// A place where a module takes names that another one defines.
pub(crate) struct Import {
    pub(crate) line: usize,
    pub(crate) from: usize,
    pub(crate) name: String,
}

/// An item by the module that defines it, or a whole module.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Item(usize),
    Module(usize),
}

/// Re-exports that are followed before a path counts as unresolved.
const DEEPEST: usize = 16;

impl<'a> Modules<'a> {
    /// The targets of all crates: each `src` folder, and each program in its `bin` folder.
    pub(crate) fn of_targets(tree: &'a Tree) -> Vec<Self> {
        let mut targets: BTreeMap<String, Vec<Module<'a>>> = BTreeMap::new();
        for source in tree.rust() {
            if let Some((target, path)) = place(&source.path) {
                targets.entry(target).or_default().push(Module::new(source, path));
            }
        }
        targets.into_values().map(|modules| Self { modules }).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.modules.len()
    }

    /// Whether a module is the root or a folder's file, and the other one below it.
    pub(crate) fn is_above(&self, module: usize, other: usize) -> bool {
        let (above, below) = (&self.modules[module].path, &self.modules[other].path);
        below.len() > above.len() && below.starts_with(above)
    }

    pub(crate) fn get(&self, index: usize) -> &Module<'a> {
        &self.modules[index]
    }

    /// The names that a module takes from others, each name once, in the order of lines.
    pub(crate) fn imports(&self, module: usize) -> Vec<Import> {
        let this = &self.modules[module];
        let mut found: BTreeMap<(usize, String), usize> = BTreeMap::new();
        let mut note = |line: usize, name: &str, target: Option<Target>| {
            if let Some(Target::Item(from)) = target.filter(|&t| t != Target::Item(module)) {
                found.entry((from, name.to_owned())).or_insert(line);
            }
        };
        let body = this.body();
        let words = || body.iter().filter(|token| token.is_word());
        for import in &this.uses {
            if import.name == "*" {
                let glob = import.path[..import.path.len() - 1].to_vec();
                if let Some(Target::Module(from)) = self.resolve(module, &glob, 0)
                    && !import.public
                {
                    for word in words().filter(|word| !this.defined.contains(&word.text)) {
                        note(word.line, &word.text, self.member(from, &word.text, 0));
                    }
                }
            } else if !import.public || words().any(|word| word.text == import.name) {
                note(import.line, &import.name, self.resolve(module, &import.path, 0));
            }
        }
        for (line, path) in paths(&body) {
            if let Some((name, target)) = self.first_item(module, &path) {
                note(line, name, Some(target));
            }
        }
        let mut imports: Vec<Import> =
            found.into_iter().map(|((from, name), line)| Import { line, from, name }).collect();
        imports.sort_by_key(|import| import.line);
        imports
    }

    /// The first item on a path that begins with a module; items themselves are imported by uses.
    fn first_item<'p>(&self, module: usize, path: &'p [String]) -> Option<(&'p str, Target)> {
        (1..=path.len()).find_map(|length| match self.resolve(module, &path[..length], 0)? {
            Target::Item(_) if length == 1 => None,
            Target::Module(_) => None,
            item @ Target::Item(_) => Some((path[length - 1].as_str(), item)),
        })
    }

    /// The item or module that a path in a module leads to; `None` outside of the target.
    fn resolve(&self, module: usize, path: &[String], depth: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(self.find(&[])?),
            "self" => Target::Module(module),
            "super" => Target::Module(self.parent(module)?),
            name => self.visible(module, name, depth)?,
        };
        for segment in rest {
            let Target::Module(inside) = target else { break };
            target = match segment.as_str() {
                "self" => target,
                "super" => Target::Module(self.parent(inside)?),
                name => self.member(inside, name, depth).unwrap_or(Target::Item(inside)),
            };
        }
        Some(target)
    }

    /// The first name of a path that begins in a module: a child, or imported.
    fn visible(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        if self.modules[module].defined.contains(name) {
            return Some(Target::Item(module));
        }
        self.child(module, name).or_else(|| self.imported(module, name, false, depth))
    }

    /// A name in a module, as others reach it.
    fn member(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        if self.modules[module].defined.contains(name) {
            return Some(Target::Item(module));
        }
        self.child(module, name).or_else(|| self.imported(module, name, true, depth))
    }

    /// A name that the uses of a module bring in.
    fn imported(&self, module: usize, name: &str, handed_on: bool, depth: usize) -> Option<Target> {
        if depth > DEEPEST {
            return None;
        }
        let (globs, named): (Vec<&Use>, Vec<&Use>) =
            self.modules[module].uses.iter().partition(|import| import.name == "*");
        // Children see private imports of their parents too.
        let own = named.iter().find(|import| import.name == name && import.path.len() > 1);
        if let Some(import) = own {
            let target = self.resolve(module, &import.path, depth + 1)?;
            let face = self.modules[module].path.is_empty() && import.exported;
            return Some(if face && matches!(target, Target::Item(_)) {
                Target::Item(module)
            } else {
                target
            });
        }
        globs.iter().filter(|import| import.public || !handed_on).find_map(|import| {
            let glob = &import.path[..import.path.len() - 1];
            match self.resolve(module, glob, depth + 1)? {
                Target::Module(from) => self.member(from, name, depth + 1),
                Target::Item(_) => None,
            }
        })
    }

    fn child(&self, module: usize, name: &str) -> Option<Target> {
        let mut path = self.modules[module].path.clone();
        path.push(name);
        self.find(&path).map(Target::Module)
    }

    fn parent(&self, module: usize) -> Option<usize> {
        let (_, path) = self.modules[module].path.split_last()?;
        self.find(path)
    }

    fn find(&self, path: &[&str]) -> Option<usize> {
        self.modules.iter().position(|module| module.path == path)
    }
}

impl<'a> Module<'a> {
    fn new(source: &'a Source, path: Vec<&'a str>) -> Self {
        let (uses, defined) = (uses(&source.code), defined(&source.code));
        Self { source, path, uses, defined }
    }

    /// The code without its uses.
    fn body(&self) -> Vec<&'a Token> {
        let code = &self.source.code;
        let mut body = Vec::new();
        let mut done = 0;
        for statement in statements(code) {
            body.extend(&code.tokens()[done..statement.start]);
            done = statement.end;
        }
        body.extend(&code.tokens()[done..]);
        body.retain(|token| !token.test);
        body
    }
}

/// The target of a file, and its module path there; `None` outside of `src`.
fn place(path: &str) -> Option<(String, Vec<&str>)> {
    let (folder, inside) = path.split_once("/src/")?;
    let parts: Vec<&str> = inside.strip_suffix(".rs")?.split('/').collect();
    let (target, parts) = match parts.as_slice() {
        ["bin", program] => (format!("{folder}/{program}"), Vec::new()),
        ["bin", program, rest @ ..] => (format!("{folder}/{program}"), rest.to_vec()),
        all => (folder.to_owned(), all.to_vec()),
    };
    let parts = match parts.as_slice() {
        ["lib" | "main"] => Vec::new(),
        [all @ .., "mod"] => all.to_vec(),
        all => all.to_vec(),
    };
    Some((target, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The imports of a file as "file: names", in a crate of these files.
    fn imports(files: &[(&str, &str)], of: &str) -> Vec<String> {
        let files = files.iter().map(|&(path, text)| (format!("a/src/{path}"), text.to_owned()));
        let tree = Tree::new(files).unwrap();
        let target = Modules::of_targets(&tree).remove(0);
        let name = |index: usize| target.get(index).source.path["a/src/".len()..].to_owned();
        let index = (0..target.len()).find(|&index| name(index) == of).unwrap();
        let found = target.imports(index);
        found.iter().map(|import| format!("{}: {}", name(import.from), import.name)).collect()
    }

    #[test]
    fn a_reexport_leads_to_the_file_that_defines() {
        let files = [
            ("lib.rs", "mod b;\nmod c;\npub(crate) use c::A;\npub use c::P;\n"),
            ("b/mod.rs", "mod deep;\npub(crate) use deep::{Far, run as start};\n"),
            ("b/deep.rs", "use crate::{A, P};\npub struct Far;\npub fn run() {}\n"),
            (
                "c.rs",
                "use crate::b::{self, Far};\nstruct A;\nstruct P;\nfn f() { b::start(); crate::b::deep::run(); }\n",
            ),
        ];
        assert_eq!(
            imports(&files, "c.rs"),
            ["b/deep.rs: Far", "b/deep.rs: run", "b/deep.rs: start"]
        );
        assert!(imports(&files, "b/mod.rs").is_empty());
        assert_eq!(imports(&files, "b/deep.rs"), ["lib.rs: P", "c.rs: A"]);
    }

    #[test]
    fn parents_globs_and_children_are_resolved() {
        let files = [
            ("lib.rs", "mod b;\npub const N: u8 = 1;\n#[cfg(test)]\nuse b::Gone;\n"),
            ("b.rs", "mod d;\nuse d::*;\nfn f() -> In { d::g(); std::f(); super::N }\n"),
            ("b/d.rs", "use super::super::N;\npub struct In;\npub struct Not;\npub fn g() {}\n"),
        ];
        assert_eq!(imports(&files, "b.rs"), ["lib.rs: N", "b/d.rs: In", "b/d.rs: g"]);
        assert_eq!(imports(&files, "b/d.rs"), ["lib.rs: N"]);
        assert!(imports(&files, "lib.rs").is_empty());
    }

    #[test]
    fn programs_of_a_bin_folder_are_targets_of_their_own() {
        assert_eq!(place("a/src/bin/p/q.rs"), Some(("a/p".into(), vec!["q"])));
        assert_eq!(place("a/src/bin/p.rs"), Some(("a/p".into(), vec![])));
        assert_eq!(place("a/src/b/mod.rs"), Some(("a".into(), vec!["b"])));
        assert_eq!(place("a/tests/b.rs"), None);
    }
}
