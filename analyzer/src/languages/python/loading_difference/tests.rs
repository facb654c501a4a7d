//! Pairs of texts → what loading them binds differently.

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
        ("LIMIT = 3\n", "LIMIT = a[4] = 3\n"),
        ("LIMIT = 3\n", "LIMIT = a.limit = 3\n"),
        ("LIMIT = 3\n", "LIMIT = g = a.limit = 3\n"),
        ("LIMIT = 3\n", "LIMIT = 3\nfrom d import *\n"),
        ("LIMIT = 3\n", "LIMIT = 3\nif a:\n    g = use()\n"),
        ("LIMIT = 3\n", "LIMIT = 3\nif use():\n    g = 1\n"),
        ("LIMIT = 3\n", "LIMIT = 3\nfor g in a:\n    pass\n"),
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
            "class D(Base):\n",
            "class D(Base):\n    def hook(self):\n        pass\n",
        ),
    ] {
        assert_eq!(difference(old, new), None, "{new}");
    }
}

#[test]
fn what_a_module_of_the_language_gives_and_what_its_abstract_classes_hear_runs_no_code_of_the_project() {
    let added = |imports: &str, added: &str| loading_difference(imports, &format!("{imports}{added}")).is_some();
    let taken = "prod = getattr(math, 'prod', lambda values: 1)\n";
    assert!(added("import math\n", taken));
    assert!(!added("from .a import math\n", taken));
    assert!(!added("import math\n", "prod = getattr(math, name)\n"));
    assert!(!added("import math\nfrom .a import getattr\n", taken));
    for (imports, base) in [
        ("from collections.abc import Sequence\n", "Sequence"),
        ("from collections import abc\n", "abc.Mapping"),
        ("import collections.abc\n", "collections.abc.Hashable"),
    ] {
        let class = |member: &str| format!("class C({base}):\n    def m(self):\n        pass\n{member}");
        assert!(added(imports, &class("")), "{base}");
        let of_others = |added: &str| {
            let imports = "from .a import Sequence, abc, collections\n";
            let found = loading_difference(imports, &format!("{imports}{added}")).unwrap();
            (found.silent_classes.into_iter())
                .map(|class| format!("{} {}", class.module, class.name))
                .collect::<Vec<_>>()
        };
        let expected = match base {
            "Sequence" => ".a Sequence",
            "abc.Mapping" => ".a.abc Mapping",
            _ => ".a.collections.abc Hashable",
        };
        assert_eq!(of_others(&class("")), [expected]);
        // Its own methods ask for others.
        let member = "    def insert(self):\n        pass\n";
        let changed = loading_difference(
            &format!("{imports}{}", class("")),
            &format!("{imports}{}", class(member)),
        );
        assert_eq!(changed, None, "{base}");
    }
}

#[test]
fn a_function_of_the_language_is_known_only_where_the_project_does_not_take_its_name() {
    let (bases, made) = (
        "class E(Exception):\n    pass\n",
        "@cache\ndef f(x=Counter()):\n    pass\nk = list(a)\n",
    );
    let added = |imports: &str, added: &str| loading_difference(imports, &format!("{imports}{added}"));
    for imports in [
        "from collections import Counter\nfrom functools import cache\n",
        "class C:\n    def list(self):\n        pass\n",
        "def f():\n    list = g\n",
        "from typing_extensions import *\n",
        "from .a import *\nfrom collections import Counter\nfrom functools import cache\n",
    ] {
        assert!(
            added(imports, made).is_some() && added(imports, bases).is_some(),
            "{imports}"
        );
    }
    for imports in [
        "from .a import Counter\n",
        "from .a import *\n",
        "try:\n    from functools import cache\nexcept ImportError:\n    from .a import cache\n",
        "def list(of):\n    use(of)\n",
        "cache = make()\n",
        "Counter, b = make()\n",
        "for Counter in b:\n    pass\n",
        "with b() as (Counter, c):\n    pass\n",
        "if (list := make()):\n    pass\n",
        "import a.b as list\n",
    ] {
        assert_eq!(added(imports, made), None, "{imports}");
    }
    let of_others = added("from .a import Exception\n", bases).unwrap().silent_classes;
    assert_eq!(of_others.first().map(|class| class.name.as_str()), Some("Exception"));
}

#[test]
fn a_name_that_the_language_asks_for_is_told_by_the_values_of_its_class() {
    let subscripted = "        return 6\n    def __class_getitem__(cls, of):\n        return cls\n";
    let found = difference("        return 6\n", subscripted).unwrap();
    assert!(found.classes.is_empty() && found.came.iter().any(|bound| bound.name == "__class_getitem__"));
    for member in [
        "def __eq__(self, o):\n        pass\n",
        "__slots__ = ()\n",
        "__hash__ = None\n",
        "def keys(self):\n        pass\n",
    ] {
        let found = difference("    size = 1\n", &format!("    size = 1\n    {member}")).unwrap();
        assert_eq!(names(&found.classes), [("C", NameHolder::Exported)], "{member}");
        assert!(found.came.is_empty() && found.went.is_empty());
    }
    let told = difference("LIMIT = 3\n", "LIMIT = 3\nf.__doc__ = g.__doc__\n").unwrap();
    assert_eq!(names(&told.came), [("__doc__", NameHolder::Module)]);
    assert!(told.classes.is_empty());
}

#[test]
fn a_function_or_class_that_has_another_name_is_told_by_who_reads_names() {
    let is_told = |old: &str, new: &str| !difference(old, new).unwrap().of_definitions.is_empty();
    assert!(is_told("def f(x, y=LIMIT)", "def g(x, y=LIMIT)"));
    assert!(is_told("class C:", "class E:"));
    assert!(is_told("size = 1\n    def m(self)", "size = 1\n    def n(self)"));
    assert!(!is_told("def f(x, y=LIMIT)", "def f(x, y=4)"));
    assert!(!is_told("LIMIT = 3\n", "LIMIT = 3\ndef g():\n    pass\n"));
    assert!(!is_told("import a\n", "import d\n"));
}

#[test]
fn other_documentation_is_told_by_who_reads_it() {
    let found = difference("return x\n", "'Why.'\n    return x\n").unwrap();
    assert!(found.of_definitions.contains("__doc__"));
    assert_eq!(difference("import a\n", "# coding: latin-1\nimport a\n"), None);
}

#[test]
fn a_value_that_is_bound_to_another_one_is_told_by_itself() {
    use NameHolder::{Class, Exported};
    for (old, new, expected) in [
        ("LIMIT = 3", "LIMIT = 4", ("LIMIT", Exported)),
        ("LIMIT = 3", "LIMIT: Final = re.compile('3')", ("LIMIT", Exported)),
        ("    size = 1\n", "    size = 2\n", ("size", Class)),
    ] {
        let value = difference(old, new).unwrap_or_else(|| panic!("{new}"));
        assert_eq!(names(&value.rebound), [expected], "{new}");
        assert!(value.came.is_empty() && value.went.is_empty(), "{new}");
    }
    // Each name of several has the value.
    let several = |value: &str| SOURCE.replacen("LIMIT = 3", &format!("LIMIT = MOST = {value}"), 1);
    let both = loading_difference(&several("3"), &several("4")).unwrap();
    assert_eq!(names(&both.came), [("LIMIT", Exported), ("MOST", Exported)]);
    assert_eq!(both.came, both.went);
    // Nobody says which of two is meant.
    let twice = difference("LIMIT = 3\n", "LIMIT = 3\nLIMIT = 4\n").unwrap();
    assert_eq!(
        (names(&twice.came), names(&twice.rebound)),
        (vec![("LIMIT", Exported)], vec![])
    );
    assert_eq!(difference("class D(Base):\n", "class D(Base):\n    size = 2\n"), None);
}

#[test]
fn parameters_are_compared_with_the_function_and_its_defaults_and_decorators_are_not() {
    let plain = |source: &str| SOURCE.replace("def f(x, y=LIMIT):", source);
    let between = |before: &str, after: &str| loading_difference(&plain(before), &plain(after)).unwrap();
    for after in ["def f(x, z, y=LIMIT):", "def f(x, *rest, y=LIMIT):"] {
        assert_eq!(
            between("def f(x, y=LIMIT):", after),
            LoadingDifference::default(),
            "{after}"
        );
    }
    for after in [
        "def f(x, y=5):",
        "def f(x=5, y=LIMIT):",
        "def f(x, y):",
        "async def f(x, y=LIMIT):",
        "@cache\ndef f(x, y=LIMIT):",
    ] {
        let head = between("def f(x, y=LIMIT):", after);
        assert_eq!(names(&head.came), [("f", NameHolder::Exported)], "{after}");
        assert_eq!(names(&head.came), names(&head.went));
    }
    let base = difference("class C:", "class C(ValueError):").unwrap();
    assert_eq!(names(&base.went), [("C", NameHolder::Exported)]);
}

#[test]
fn another_order_is_a_difference_where_a_statement_can_tell() {
    let order = |before: &[&str], after: &[&str]| loading_difference(&before.concat(), &after.concat());
    let untold = || LoadingDifference {
        has_other_order: true,
        ..LoadingDifference::default()
    };
    let (math, re, of_project) = ("import math\n", "from re import sub\n", "from .a import b\n");
    let (f, g) = ("def f():\n    pass\n", "@cache\ndef g(x=1):\n    pass\n");
    let (of_f, call) = ("h = f\n", "register()\n");
    for two in [[math, re], [math, of_project], [f, g], [math, f], [f, "k = 3\n"]] {
        let turned = [two[1], two[0]];
        assert_eq!(order(&two, &turned), Some(untold()), "{two:?}");
    }
    for two in [
        [f, of_f],
        [f, call],
        [call, "use()\n"],
        ["from math import sqrt\n", "from cmath import sqrt\n"],
        [f, "class C:\n    pass\n"],
        [f, "from math import *\n"],
    ] {
        assert_eq!(order(&two, &[two[1], two[0]]), None, "{two:?}");
    }
    let modules = order(&[of_project, "import c.d\n"], &["import c.d\n", of_project]).unwrap();
    assert_eq!(modules.reordered, BTreeSet::from([".a", "c.d"].map(str::to_owned)));
    assert_eq!(order(&[f, math, g, re], &[re, g, f, math]), Some(untold()));
    assert_eq!(order(&[f, call, g], &[g, f, call]), None);
    assert_eq!(difference("\nregister(f)\n", "\n"), None);
}

#[test]
fn the_order_of_values_is_a_difference_in_a_class_that_others_look_through() {
    let order = |head: &str, [one, other]: [&str; 2]| {
        loading_difference(&[head, one, other].concat(), &[head, other, one].concat())
    };
    let values = ["    size = 1\n", "    kind = 'a'\n"];
    let fields = ["    size: int\n", "    kind: str\n"];
    let functions = ["    def m(self): pass\n", "    def n(self): pass\n"];
    for head in [
        "@dataclass(order=True)\nclass C:\n",
        "class C(NamedTuple):\n",
        "class C(Enum):\n",
        "class C(Base):\n",
        "class C(metaclass=Meta):\n",
        "class D(Base):\n  class C:\n",
    ] {
        for two in [values, fields, [values[0], functions[0]]] {
            assert_eq!(order(head, two), None, "{head} {two:?}");
        }
        let told_by_classes = LoadingDifference {
            has_other_members_order: true,
            ..LoadingDifference::default()
        };
        assert_eq!(order(head, functions), Some(told_by_classes), "{head}");
    }
    for head in ["class C:\n", "class C(Generic[T]):\n", "class C(ValueError):\n"] {
        for two in [values, fields, functions, [values[0], functions[0]]] {
            assert_eq!(order(head, two), Some(LoadingDifference::default()), "{head} {two:?}");
        }
    }
}

#[test]
fn an_import_is_told_by_each_name_that_is_not_there_already() {
    let between = |before: &str, after: &str| {
        let of = |imports: &str| SOURCE.replacen("import a\n", imports, 1);
        loading_difference(&of(before), &of(after)).unwrap()
    };
    let longer = between(
        "from math import ceil, pi\n",
        "from math import (\n    ceil, fsum, pi)\n",
    );
    assert_eq!(names(&longer.came), [("fsum", NameHolder::Exported)]);
    let once = "from math import ceil\n";
    let again = between(once, &once.repeat(2));
    assert_eq!(again, LoadingDifference::default());
    // The later one holds.
    let (one, other) = ("from math import sqrt\n", "from cmath import sqrt\n");
    let later = between(&[one, other].concat(), &[one, other, one].concat());
    assert_eq!(names(&later.came), [("sqrt", NameHolder::Exported)]);
    // That division is true, is so without asking.
    assert_eq!(
        between("", "from __future__ import division\n"),
        LoadingDifference::default()
    );
    assert!(between("", "from __future__ import annotations\n").has_other_annotations);
}

#[test]
fn a_statement_that_executes_one_of_its_blocks_may_bind_the_names_of_all() {
    let may_bind = |statement: &str| {
        let found = difference("LIMIT = 3\n", &format!("LIMIT = 3\n{statement}"));
        let found = found.unwrap_or_else(|| panic!("{statement}"));
        assert_eq!(found.rebound, BTreeSet::new());
        let came = found.came.into_iter().map(|bound| bound.name);
        (came.collect::<Vec<_>>(), found.modules.into_iter().collect::<Vec<_>>())
    };
    assert_eq!(
        may_bind("try:\n    from math import g\nexcept ImportError:\n    def g(): pass\n"),
        (vec!["g".to_owned()], vec!["math".to_owned()])
    );
    assert_eq!(
        may_bind("if sys.version_info < (3, 9):\n    g = 1\nelif a:\n    h = 2\nelse:\n    i = frozenset(chr(c) for c in range(4))\n").0,
        ["g", "h", "i"]
    );
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

#[test]
fn a_type_that_is_stated_of_a_variable_is_told_to_those_who_read_types() {
    let found = difference("LIMIT = 3", "LIMIT: int = 3").unwrap();
    assert!(found.has_other_annotations);
    assert!(found.came.is_empty() && found.went.is_empty() && found.rebound.is_empty());
    let of_class = difference("    size = 1", "    size: int = 1").unwrap();
    assert_eq!(of_class.rebound.len(), 1, "it may be a field then");
    assert_eq!(difference("LIMIT = 3", "LIMIT: find() = 3"), None, "it is evaluated");
}
