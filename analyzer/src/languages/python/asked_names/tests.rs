//! Sources → the names that they ask for.

#![allow(clippy::unwrap_used)]

use super::*;

fn all_names(source: &str) -> Option<AskedNames> {
    asked_names(source, &|_| false)
}

#[test]
fn names_are_told_by_how_they_are_written() {
    let names = all_names(
        "import a.b\nfrom .c import d as e\n__all__ = ['f']\ndef g(h):\n    # i\n    return h.j(k=\"l\", m='n o')\n",
    );
    let names = names.unwrap();
    for plain in ["g", "h"] {
        assert!(names.plain.contains(plain), "{plain}");
    }
    for other in ["a", "d", "e", "f", "i", "j", "k", "l", "m"] {
        assert!(!names.plain.contains(other), "{other}");
    }
    assert_eq!(Vec::from_iter(&names.attributes), ["j"]);
    assert_eq!(Vec::from_iter(&names.texts), ["l"]);
    assert_eq!(Vec::from_iter(&names.modules), [".c", "a.b"]);
    assert_eq!(Vec::from_iter(&names.imported["d"]), [".c"]);
    assert!(names.takes_all_of.is_empty() && !names.is_dynamic && !names.reads_annotations);
}

#[test]
fn code_that_makes_up_names_is_known() {
    for text in [
        "getattr(a, name)",
        "getattr(a, '' + name)",
        "getattr(a, name + '_of')",
        "getattr(a, 'b' * 2)",
        "import_module('visit_' + name)",
        "setattr(a, f'{b}', 1)",
        "for name in dir(a): pass",
        "a.__dict__",
        "f.__globals__['a' + name]",
        "vars(a)",
        "sys.modules['b']",
        "class C:\n    def __init_subclass__(cls): pass",
        "importlib.import_module(a)",
        "map(getattr, a, b)",
        "attrgetter('b', name)",
    ] {
        let names = all_names(text).unwrap();
        assert!(names.is_dynamic || names.makes_up_names, "{text}");
    }
    for text in [
        "getattr(a, 'b', None)",
        "hasattr(a, \"b\")",
        "a.b.c",
        "direct(a)",
        "from operator import attrgetter as of",
        "operator.attrgetter('b.c')",
        "__import__('a.b')",
    ] {
        let names = all_names(text).unwrap();
        assert!(!names.is_dynamic && !names.makes_up_names, "{text}");
    }
    for text in [
        "getattr(self, name)",
        "hasattr(type(self), f'{a}')",
        "getattr(str, name)(a)",
    ] {
        let names = all_names(text).unwrap();
        assert!(
            names.makes_up_members && !names.makes_up_names && !names.is_dynamic,
            "{text}"
        );
    }
    for text in [
        "map(getattr, self)",
        "getattr(self.a, name)",
        "class M(ModuleType):\n    a = getattr(self, name)",
    ] {
        assert!(all_names(text).unwrap().makes_up_names, "{text}");
    }
    assert!(!all_names("getattr(a, name)").unwrap().is_dynamic);
    let words = all_names("'''No word.'''\na = 'b c.d'").unwrap().words_of_texts;
    assert_eq!(Vec::from_iter(words), ["b", "c", "d"]);
    let lists = |source: &str| !all_names(source).unwrap().lists_own_names.is_empty();
    assert!(lists("'{a}'.format(**globals())") && lists("a = locals()"));
    assert!(lists("def f():\n    globals()") && !lists("def f():\n    locals()"));
    assert!(all_names("operator.attrgetter('b.c')").unwrap().texts.contains("c"));
    for reader in ["inspect.signature(f)", "typing.get_overloads(f)"] {
        assert!(all_names(reader).unwrap().reads_annotations, "{reader}");
    }
    assert!(all_names("os.listdir('.')").unwrap().lists_folders);
    assert_eq!(
        Vec::from_iter(all_names("from .a import *").unwrap().takes_all_of),
        [".a"]
    );
    assert_eq!(all_names("def f(:"), None);
}

#[test]
fn the_options_that_were_typed_are_no_names_of_the_project() {
    let lists = |body: &str| all_names(&format!("def main(a, b):\n    {body}\n")).unwrap().is_dynamic;
    for body in [
        "vars(parser.parse_args())",
        "c = parser.parse_args()\n    run(c, c.d, **vars(c))",
        "c = parser.parse_args(a)\n    d = vars(c)",
        "a = parser.parse_args(a)\n    d = vars(a)",
    ] {
        assert!(!lists(body), "{body}");
    }
    for body in [
        "vars(a)",
        "vars(make())",
        "c = parser.parse_args()\n    c = b\n    vars(c)",
        "c = parser.parse_args() or b\n    vars(c)",
        "for c in b:\n        vars(c)",
        "a = parser.parse_args() if b else a\n    vars(a)",
        "c = parser.parse_args()\n    dir(c)",
        "if b:\n        a = parser.parse_args()\n    vars(a)",
        "vars(a)\n    a = parser.parse_args()",
    ] {
        assert!(lists(body), "{body}");
    }
    assert!(all_names("c = parser.parse_args()\nvars(c)\n").unwrap().is_dynamic);
}

#[test]
fn of_a_name_that_is_made_up_the_start_may_be_seen() {
    for text in [
        "getattr(a, 'visit_' + name, None)",
        "getattr(a, 'visit_' + name + b)",
        "setattr(a, f'visit_{b}_{c}', 1)",
        "hasattr(a, 'visit_%s' % b)",
    ] {
        let names = all_names(text).unwrap();
        assert_eq!(Vec::from_iter(&names.starts), ["visit_"], "{text}");
        assert!(!names.is_dynamic && !names.makes_up_names, "{text}");
    }
}

#[test]
fn a_part_of_a_module_of_the_language_is_no_name_of_the_project() {
    let attributes = |source: &str| Vec::from_iter(all_names(source).unwrap().attributes);
    assert_eq!(
        attributes("import math\nimport re as r\nmath.ceil(r.sub)\na.floor\n"),
        ["floor"]
    );
    for source in [
        "import mathematics\nmathematics.ceil\n",
        "import math\ndef f(math):\n    math.ceil\n",
        "import math\nmath = a\nmath.ceil\n",
        "import math\nuse(math)\nmath.ceil\n",
        "math.ceil\n",
        "import math\nmath.pi.ceil\n",
    ] {
        assert!(attributes(source).contains(&"ceil".to_owned()), "{source}");
    }
}

#[test]
fn the_names_of_a_value_are_not_those_of_its_class() {
    let is_dynamic = |source: &str| all_names(source).unwrap().is_dynamic;
    assert!(!is_dynamic(
        "class C:\n    def m(self):\n        return self.__dict__\n"
    ));
    assert!(is_dynamic(
        "class C(type):\n    def m(self):\n        return self.__dict__\n"
    ));
    assert!(is_dynamic("class C:\n    def m(cls):\n        return cls.__dict__\n"));
    assert!(!is_dynamic("a.__dict__ == b.__dict__\n"));
    assert!(is_dynamic("a.__dict__.keys() == b\n"));
}

#[test]
fn what_is_read_of_definitions_is_known_in_functions_and_beside_them() {
    let names = all_names(
        "import inspect\nif __name__ == '__main__': pass\nf.__name__ = 'g'\nf.__doc__ = g.__doc__\nTABLE = {f.__qualname__: f}\n\
         def m(a):\n    a.__doc__ = inspect.getdoc(a)\n    return type(a).__name__ + getsource(a)\n",
    );
    let names = names.unwrap();
    assert_eq!(Vec::from_iter(names.loading_reads_of_definitions), ["__qualname__"]);
    assert_eq!(
        Vec::from_iter(names.reads_of_definitions),
        ["__name__", "getdoc", "getsource"]
    );
}

#[test]
fn classes_that_make_classes_are_known() {
    let makes_classes = |source: &str| all_names(source).unwrap().makes_classes;
    for source in [
        "class M(type):\n    pass\n",
        "class M(EnumMeta):\n    pass\n",
        "class C(metaclass=MakingMeta):\n    pass\n",
        "class C(Base, metaclass=RowMeta):\n    pass\n",
    ] {
        assert!(makes_classes(source), "{source}");
    }
    for source in [
        "class C(metaclass=ABCMeta):\n    pass\n",
        "class C(Base, metaclass=abc.ABCMeta):\n    pass\n",
        "class M(types.ModuleType):\n    pass\n",
        "class C(Base[type]):\n    pass\n",
        "class C:\n    pass\n",
    ] {
        assert!(!makes_classes(source), "{source}");
    }
}

#[test]
fn a_plain_text_that_is_run_asks_for_its_words() {
    let names = all_names("exec('raise Error, value')\neval(\"a + b.c\")\n").unwrap();
    assert!(!names.is_dynamic);
    for name in ["raise", "Error", "value", "a", "b", "c"] {
        assert!(names.texts.contains(name), "{name}");
    }
    for dynamic in ["exec(text)\n", "eval(f'{a}')\n", "map(eval, a)\n", "exec('a' + b)\n"] {
        assert!(all_names(dynamic).unwrap().is_dynamic, "{dynamic}");
    }
}

#[test]
fn what_loading_a_source_executes_asks_for_names_that_nobody_follows() {
    let names =
        all_names("import a\nLIMIT = b\ndef f(x=c):\n    d\nclass C(E):\n    at = g\n@h.i\ndef j(): k\nuse(l, 'm')\n");
    let loading = names.unwrap().loading;
    for name in ["E", "h", "i", "use", "l", "m"] {
        assert!(loading.contains(name), "{name}");
    }
    for name in ["a", "b", "c", "d", "g", "k"] {
        assert!(!loading.contains(name), "{name}");
    }
}

#[test]
fn a_wide_source_takes_no_longer_for_each_name() {
    let source = "value = make(of, 'name')\n".repeat(60_000);
    assert_eq!(all_names(&source).unwrap().plain.len(), 3);
}
