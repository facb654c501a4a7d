//! Sources that cost more than their size allows: each is refused with a reason, whatever the machine.

use super::*;

#[test]
fn the_parser_takes_as_many_steps_as_it_may_and_no_more() {
    let parse = |parser_steps, source: &str| {
        let limits = ParseLimits {
            parser_steps,
            ..ParseLimits::default()
        };
        SourceParser::new(limits).parse("a.py", source.as_bytes())
    };
    let source = "def f(a):\n    return g(a)\n".repeat(100);
    assert_eq!(
        only_problem(&parse(1_000, &source)),
        "too costly to analyse for its size"
    );
    let whole = parse(1_000_000, &source);
    assert_eq!((whole.functions.len(), whole.problems.len()), (100, 0));
    // A macro of another language: each of its tokens is an error of its own.
    let foreign = "macro_rules! m { ($($t:tt)*) => { $($t)* } }\n".repeat(100);
    assert_eq!(
        only_problem(&parse(5_000, &foreign)),
        "too costly to analyse for its size"
    );
}

#[test]
fn texts_that_grow_with_the_square_of_the_nesting_are_refused() {
    let nested = format!("fn f() {{ {}1{} }}\n", "g(".repeat(1_000), ")".repeat(1_000));
    let alone = rust(&nested);
    assert_eq!(alone.functions.len(), 1, "{:?}", alone.problems);
    assert_eq!(
        only_problem(&rust(&nested.repeat(60))),
        "too costly to analyse for its size"
    );
}

#[test]
fn an_error_of_too_many_parts_is_refused() {
    let open = |count: usize| {
        format!(
            "int f(void) {{ return 1; }}\n#if {}\nint a;\n#endif\n",
            "(".repeat(count)
        )
    };
    let parse = |source: &str| SourceParser::default().parse("a.c", source.as_bytes());
    assert_eq!(parse(&open(500)).functions.len(), 1);
    assert_eq!(
        only_problem(&parse(&open(60_000))),
        "too costly to analyse for its size"
    );
}

#[test]
fn items_that_are_known_cost_a_file_what_new_ones_cost() {
    let limits = ParseLimits {
        least_steps: 0,
        ..ParseLimits::default()
    };
    let few = format!("fn f() {{ {}1{} }}\n", "g(".repeat(180), ")".repeat(180));
    let blob = |source: &str, id: u8| crate::sources::Blob {
        id: crate::sources::ContentId([id; 20]),
        content: crate::sources::SourceContent::Bytes(source.as_bytes().into()),
    };
    let cache = ParseCache::new(SourceParser::new(limits), 1 << 20);
    let with_much_text = format!("{}{few}", "//\n".repeat(10_000));
    assert_eq!(cache.get("a.rs", &blob(&with_much_text, 1)).problems, []);
    let known = cache.get("a.rs", &blob(&few, 2));
    let new = ParseCache::new(SourceParser::new(limits), 1 << 20).get("a.rs", &blob(&few, 2));
    assert_eq!(known, new);
    assert_eq!(only_problem(&known), "too costly to analyse for its size");
}

#[test]
fn a_file_with_more_definitions_than_are_compared_is_refused() {
    for (path, one) in [
        ("a.rs", "const X: u8 = 1;\n"),
        ("a.rs", "fn f() {}\n"),
        ("a.py", "X = 1\n"),
    ] {
        let file = SourceParser::default().parse(path, one.repeat(10_001).as_bytes());
        assert_eq!(only_problem(&file), "more than 10000 functions and items", "{one}");
    }
}

#[test]
fn a_name_longer_than_any_that_is_written_is_refused() {
    let nested = |levels: usize| format!("{}fn f() {{}}{}", "mod a { ".repeat(levels), "}".repeat(levels));
    assert_eq!(rust(&nested(60)).functions[0].path.len(), 61);
    assert_eq!(only_problem(&rust(&nested(200))), "too costly to analyse for its size");
}

#[test]
fn a_comment_without_an_end_is_a_problem_of_the_file() {
    let file = rust("fn f() {}\n/* and so on\nfn g() {}\n");
    assert_eq!(file.functions.len(), 1);
    assert_eq!(file.problems[0].why, "a comment without an end, from line 2 on");
    assert_eq!(rust("fn f() {} /* /* */ */ // /*\n").problems, []);
    let nested = rust("fn f() {} /* /* */ fn g() {}");
    assert_eq!(nested.problems.len(), 1);
}
