//! Two texts of a Python source → the statements that importing only one of them executes, if these do nothing but bind names.
//!
//! Statements of modules and of classes are held against each other one by one: a function by its head, a class by its head
//! and by each statement in it, an import by each of its names. What both texts have must stand in the same order.

use std::collections::{BTreeMap, BTreeSet};

use super::loaded_statements::{LoadedStatement, SourceStatements};
use crate::languages::{BoundName, LoadingDifference, NameHolder};

/// The difference; `None` if a statement of it may do more, or a text has syntax errors.
pub(super) fn loading_difference(before: &str, after: &str) -> Option<LoadingDifference> {
    let [before, after] = [SourceStatements::of(before)?, SourceStatements::of(after)?];
    let (kept_before, went) = before.divided(&after);
    let (kept_after, came) = after.divided(&before);
    if !(kept_before.iter().map(|statement| &statement.text)).eq(kept_after.iter().map(|statement| &statement.text)) {
        return None;
    }
    let mut difference = LoadingDifference::default();
    let kept = kept_before.iter().zip(&kept_after);
    for (before, after) in kept.filter(|(before, after)| before.with_types != after.with_types) {
        // Who is given the function may look at its types.
        if before.binds.is_none() || after.binds.is_none() {
            return None;
        }
        difference.has_other_annotations = true;
    }
    difference.went = before.bound(&went, &after, &mut difference.modules)?;
    difference.came = after.bound(&came, &before, &mut difference.modules)?;
    Some(difference)
}

impl SourceStatements {
    /// The statements that another source has too, and the others.
    fn divided(&self, other: &Self) -> (Vec<&LoadedStatement>, Vec<&LoadedStatement>) {
        let mut left: BTreeMap<(&[String], &str), usize> = BTreeMap::new();
        for statement in &other.list {
            *left.entry((&statement.classes, &statement.text)).or_default() += 1;
        }
        self.list.iter().partition(|statement| {
            let count = left.get_mut(&(statement.classes.as_slice(), statement.text.as_str()));
            count.is_some_and(|count| {
                let is_left = *count > 0;
                *count -= usize::from(is_left);
                is_left
            })
        })
    }

    /// The names that some of the statements bind where another source has none of them; `None` if that is not all they do.
    fn bound(
        &self,
        statements: &[&LoadedStatement],
        other: &Self,
        modules: &mut BTreeSet<String>,
    ) -> Option<BTreeSet<BoundName>> {
        let mut found = BTreeSet::new();
        for statement in statements {
            let bindings = statement.binds.as_ref()?;
            modules.extend(bindings.modules.iter().cloned());
            // The statements of a class that the other source does not have are part of it.
            if Self::is_in_another_class(statement, other) {
                continue;
            }
            let is_of_class = !statement.classes.is_empty();
            if is_of_class && !statement.is_of_silent_classes {
                return None;
            }
            for name in &bindings.names {
                // The language itself asks for such names.
                if name.starts_with("__") && name.ends_with("__") {
                    return None;
                }
                let is_exported = match &self.exported {
                    Some(exported) => exported.contains(name),
                    None => !name.starts_with('_'),
                };
                found.insert(BoundName {
                    name: name.clone(),
                    holder: match (is_of_class, is_exported) {
                        (true, _) => NameHolder::Class,
                        (false, true) => NameHolder::Exported,
                        (false, false) => NameHolder::Module,
                    },
                });
            }
        }
        // Who takes all names gets others, also where nothing else differs.
        let listed = |source: &Self| source.exported.clone().unwrap_or_default();
        if self.exported.is_some() != other.exported.is_some() {
            return None;
        }
        found.extend(listed(self).difference(&listed(other)).map(|name| BoundName {
            name: name.clone(),
            holder: NameHolder::Exported,
        }));
        Some(found)
    }

    /// True for a statement of a class that another source does not have.
    fn is_in_another_class(statement: &LoadedStatement, other: &Self) -> bool {
        let mut depths = 1..=statement.classes.len();
        !depths.all(|depth| other.classes.contains(&statement.classes[..depth]))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const SOURCE: &str = "import a\nfrom b import c\nLIMIT = 3\n\ndef f(x, y=LIMIT):\n    return x\n\n\
                          class C:\n    size = 1\n    def m(self):\n        return 6\n\n\
                          class D(Base):\n    def m(self):\n        return 7\n\nregister(f)\n";

    fn difference(old: &str, new: &str) -> Option<LoadingDifference> {
        assert!(SOURCE.contains(old), "{old}");
        loading_difference(SOURCE, &SOURCE.replacen(old, new, 1))
    }

    fn names(names: &BTreeSet<BoundName>) -> Vec<(&str, NameHolder)> {
        names.iter().map(|bound| (bound.name.as_str(), bound.holder)).collect()
    }

    #[test]
    fn what_comes_binds_its_names_and_does_nothing_else() {
        use NameHolder::{Class, Exported, Module};
        for (old, new, expected) in [
            ("LIMIT = 3\n", "LIMIT = 3\nKeys = tuple[str, int]\n", ("Keys", Exported)),
            (
                "LIMIT = 3\n",
                "LIMIT = 3\n_LIMITS = {1: (LIMIT, -2)}\n",
                ("_LIMITS", Module),
            ),
            ("import a\n", "import a\nimport d.e\n", ("d", Exported)),
            ("import a\n", "import a\nimport d.e as _g\n", ("_g", Module)),
            (
                "import c\n",
                "import c\nfrom .d import (  # why\n    e as g,\n)\n",
                ("g", Exported),
            ),
            ("def f(", "def g(a, b=1):\n    use(a)\n\ndef f(", ("g", Exported)),
            (
                "def f(",
                "@lru_cache(maxsize=3)\ndef _g(a):\n    use(a)\n\ndef f(",
                ("_g", Module),
            ),
            (
                "class C:\n",
                "class E(ValueError):\n    at = 1\n    def __eq__(self, o):\n        use()\n\nclass C:\n",
                ("E", Exported),
            ),
            (
                "    size = 1\n",
                "    size = 1\n    @property\n    def n(self):\n        return 1\n",
                ("n", Class),
            ),
        ] {
            let found = difference(old, new).unwrap_or_else(|| panic!("{new}"));
            assert_eq!(
                (names(&found.came), names(&found.went)),
                (vec![expected], vec![]),
                "{new}"
            );
            let back = loading_difference(&SOURCE.replacen(old, new, 1), SOURCE).unwrap();
            assert_eq!(
                (names(&back.came), names(&back.went)),
                (vec![], vec![expected]),
                "{new}"
            );
            assert_eq!(found.modules, back.modules);
        }
        assert_eq!(
            difference("import a\n", "import a\nimport d.e\n").unwrap().modules,
            ["d.e".to_owned()].into()
        );
        let of_types = difference("def f(x, y=LIMIT):", "def f(x: int, y: int = LIMIT) -> int:").unwrap();
        assert!(of_types.has_other_annotations && of_types.came.is_empty() && of_types.went.is_empty());
        assert_eq!(difference("return 6", "return 7"), Some(LoadingDifference::default()));
    }

    #[test]
    fn what_does_more_than_to_bind_names_is_no_such_difference() {
        for (old, new) in [
            ("LIMIT = 3\n", "LIMIT = 3\nuse()\n"),
            ("LIMIT = 3\n", "LIMIT = 3\nMADE = make()\n"),
            ("LIMIT = 3\n", "LIMIT = 3\nMADE = [use(n) for n in a]\n"),
            ("LIMIT = 3\n", "LIMIT = 3\na.limit = 4\n"),
            ("LIMIT = 3\n", "LIMIT = 3\n(p, q) = 4, 5\n"),
            ("LIMIT = 3\n", "LIMIT = 3\nfrom d import *\n"),
            ("import a\n", "from __future__ import division\nimport a\n"),
            ("LIMIT = 3\n", "LIMIT = 3\nif a:\n    g = 1\n"),
            ("LIMIT = 3\n", "LIMIT = 3\n__all__ = ['f']\n"),
            ("def f(", "@register\ndef g():\n    pass\n\ndef f("),
            ("def f(", "def g(a=use()):\n    pass\n\ndef f("),
            ("def f(", "def g(a: use()):\n    pass\n\ndef f("),
            ("def f(x, ", "def f(x: use(), "),
            ("def f(", "def __getattr__(name):\n    pass\n\ndef f("),
            ("class C:", "class E(metaclass=M):\n    pass\n\nclass C:"),
            ("class C:", "class E(Base):\n    pass\n\nclass C:"),
            ("class C:", "@registered\nclass E:\n    pass\n\nclass C:"),
            ("class C:", "class E:\n    use()\n\nclass C:"),
            (
                "    size = 1\n",
                "    size = 1\n    def __eq__(self, o):\n        pass\n",
            ),
            ("    size = 1\n", "    size = 1\n    __slots__ = ()\n"),
            (
                "class D(Base):\n",
                "class D(Base):\n    def hook(self):\n        pass\n",
            ),
        ] {
            assert_eq!(difference(old, new), None, "{new}");
        }
    }

    #[test]
    fn another_value_or_another_order_comes_and_goes_under_one_name() {
        let value = difference("LIMIT = 3", "LIMIT = 4").unwrap();
        assert_eq!(
            (names(&value.came), names(&value.went)),
            (
                vec![("LIMIT", NameHolder::Exported)],
                vec![("LIMIT", NameHolder::Exported)]
            )
        );
        for (old, new) in [("y=LIMIT", "y=5"), ("class C:", "class C(object):")] {
            let head = difference(old, new).unwrap();
            assert!(!head.came.is_empty(), "{new}");
            assert_eq!(names(&head.came), names(&head.went));
        }
        assert_eq!(
            difference("import a\nfrom b import c\n", "from b import c\nimport a\n"),
            None
        );
        // A list of names that grew. Of two imports of a name, the later one holds.
        let of_the_language = |imports: &str| SOURCE.replacen("import a\n", imports, 1);
        let between = |before: &str, after: &str| loading_difference(&of_the_language(before), &of_the_language(after));
        let longer = between(
            "from math import ceil, pi\n",
            "from math import (\n    ceil, fsum, pi)\n",
        );
        assert_eq!(names(&longer.unwrap().came), [("fsum", NameHolder::Exported)]);
        let (one, other) = ("from math import sqrt\n", "from d import sqrt\n");
        assert_eq!(between(&[one, other].concat(), &[other, one].concat()), None);
        assert_eq!(difference("\nregister(f)\n", "\n"), None);
    }

    #[test]
    fn a_list_of_names_decides_who_gets_them() {
        let with = |list: &str, rest: &str| format!("__all__ = [{list}]\n{SOURCE}{rest}");
        let g = "def g():\n    pass\n";
        let hidden = loading_difference(&with("'f'", ""), &with("'f'", g)).unwrap();
        assert_eq!(names(&hidden.came), [("g", NameHolder::Module)]);
        let listed = loading_difference(&with("'f'", ""), &with("'f', \"g\",", g)).unwrap();
        assert_eq!(names(&listed.came), [("g", NameHolder::Exported)]);
        let dropped = loading_difference(&with("'f', 'C'", ""), &with("'f'", "")).unwrap();
        assert_eq!(names(&dropped.went), [("C", NameHolder::Exported)]);
        assert_eq!(loading_difference(&with("'f'", ""), &with("*NAMES", "")), None);
        assert_eq!(
            loading_difference(&with("'f'", ""), &format!("{}__all__ += ['g']\n", with("'f'", ""))),
            None
        );
    }

    #[test]
    fn stated_types_of_a_function_that_is_given_to_others_are_no_difference() {
        let of = |parameter: &str| format!("@register\ndef f({parameter}):\n    pass\n");
        assert_eq!(loading_difference(&of("x"), &of("x: int")), None);
    }

    #[test]
    fn a_source_with_errors_has_no_difference() {
        assert_eq!(loading_difference("def f(:\n", "def f():\n    pass\n"), None);
    }
}
