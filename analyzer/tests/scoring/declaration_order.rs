//! The same declarations of C and C++ in another order, or functions in another file: at risk where a name, or what is compiled, may
//! be another one there.

use analyzer::score::CostModel;

use crate::support::{ScoringTestProfile, scored};
use crate::unfollowed::{is_run_between, program};

const SIZED_SUM: &str =
    "long sum(const int *of, int count) {\n    long at[SIZE];\n    return loop(at, of, count);\n}\n";

#[test]
fn code_that_moves_past_what_decides_its_meaning_is_run() {
    let of_size = "static int at[SIZE];\n";
    let user = SIZED_SUM.replace("    long at[SIZE];\n", "");
    for (first, second) in [
        ("#define SIZE 4\n", "#undef SIZE\n#define SIZE 8\n"),
        (
            "#define LENGTH 4\n#define SIZE LENGTH\n",
            "#undef LENGTH\n#define LENGTH 8\n",
        ),
        ("#define SIZE 4\n", "#include \"sum.h\"\n"),
        ("#include \"other.h\"\n", "#include \"sum.h\"\n"),
        ("#pragma GCC push_options\n", "#pragma GCC optimize(\"O0\")\n"),
        ("#define SIZE 4\n", "using namespace other;\n"),
        ("#define SIZE 4\n", "#if SIZE > 4\n#undef SIZE\n#endif\n"),
    ] {
        for (before, after) in [
            (
                format!("{first}{SIZED_SUM}{second}"),
                format!("{first}{second}{SIZED_SUM}"),
            ),
            (
                format!("{first}{of_size}{second}{user}"),
                format!("{first}{second}{of_size}{user}"),
            ),
        ] {
            assert!(is_source_run(&before, &after), "{before}");
        }
    }
}

#[test]
fn declarations_that_trade_places_are_run_where_the_order_can_be_told() {
    let is_run = |first: &str, second: &str| {
        is_source_run(
            &format!("{first}{second}{SIZED_SUM}"),
            &format!("{second}{first}{SIZED_SUM}"),
        )
    };
    for (first, second) in [
        ("#define SIZE 4\n", "#include \"sum.h\"\n"),
        ("#define SIZE 4\n", "#if SIZE > 4\n#define loop fast\n#endif\n"),
        ("#pragma pack(1)\n", "struct pair {\n    int first;\n};\n"),
        (
            "long slow(long of) {\n    return of;\n}\n",
            "long other(void) {\n    return slow(1);\n}\n",
        ),
        ("static int first = make();\n", "static int second = make();\n"),
    ] {
        assert!(is_run(first, second), "{first}{second}");
    }
    for (first, second) in [
        ("int a;\n", "int b = 4;\n"),
        ("#include <stdio.h>\n", "#include <string.h>\n"),
        ("#define SIZE 4\n", "#define LENGTH 4\n"),
        ("#define SIZE 4\n", "struct pair {\n    int first;\n};\n"),
        (
            "struct pair {\n    int first;\n};\n",
            "struct list {\n    int length; /* pair */\n};\n",
        ),
        (
            "int one(void) {\n    return 1; // two\n}\n",
            "int two(void) {\n    return 2;\n}\n",
        ),
        (
            "#if SIZE > 4\nint more;\n#endif\n",
            "int two(void) {\n    return 2;\n}\n",
        ),
    ] {
        assert!(!is_run(first, second), "{first}{second}");
    }
}

#[test]
fn functions_of_rust_and_python_may_stand_in_any_order() {
    for (path, functions) in [
        (
            "src/lib.rs",
            ["pub fn run() -> u8 {\n    step()\n}\n", "fn step() -> u8 {\n    1\n}\n"],
        ),
        (
            "k.py",
            ["def run():\n    return step()\n", "def step():\n    return 1\n"],
        ),
    ] {
        let of = |source: String| program().with(path, &source);
        let recorded = ScoringTestProfile::new("b", 1_000)
            .function(if path == "k.py" { "k.run" } else { "k::run" }, 1, 9, (900, 900))
            .in_file(path);
        let [before, after] = [of(functions.concat()), of([functions[1], functions[0]].concat())];
        let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
        assert_eq!((score.degraded, score.changes), (vec![], vec![]), "{path}");
    }
}

#[test]
fn a_function_that_moves_to_a_file_in_which_its_names_mean_something_else_is_run() {
    let user = SIZED_SUM.replace("    long at[SIZE];\n", "");
    let helper =
        |body: &str| format!("static long loop(long *at, const int *of, int count) {{\n    return {body};\n}}\n");
    let is_moved_and_run = |function: &str, from: &str, to: &str| {
        let before = program()
            .with("sum.c", &format!("{from}{function}"))
            .with("other.c", to);
        let after = before
            .clone()
            .with("sum.c", from)
            .with("other.c", &format!("{to}{function}"));
        is_run_between(&before, &after)
    };
    for (function, from, to) in [
        (SIZED_SUM, "#define SIZE 4\n", "#define SIZE 8\n"),
        (
            SIZED_SUM,
            "#define SIZE 4\n",
            "#define SIZE 4\n#undef SIZE\n#define SIZE 8\n",
        ),
        (
            SIZED_SUM,
            "static const int SIZE = 4;\n",
            "static const int SIZE = 8;\n",
        ),
        (SIZED_SUM, "int more;\n", "#define loop slow\n"),
        (&user, &*helper("1"), &*helper("slow(count)")),
        (&user, "int more;\n", "#pragma GCC optimize(\"O0\")\n"),
        (&user, "using namespace one;\n", "using namespace two;\n"),
    ] {
        assert!(is_moved_and_run(function, from, to), "{from}{to}");
    }
    for (function, from, to) in [
        (SIZED_SUM, "#define SIZE 4\n", "#define SIZE 4\n"),
        (&user, "int more;\n", "int other(void) {\n    return 1;\n}\n"),
        (
            &user,
            "int more;\n",
            "#pragma once\nstatic int other(void) {\n    return 1;\n}\n",
        ),
        (&user, &*helper("1"), &*helper("1")),
    ] {
        assert!(!is_moved_and_run(function, from, to), "{from}{to}");
    }
}

/// Whether a program is run whose `sum.c` changes so.
#[test]
fn a_type_that_moves_behind_code_in_which_another_may_take_its_place_is_run() {
    let class = "class Step {\npublic:\n    long of(long x) const { return x + 3; }\n};\n";
    let sum = "long sum(const int *of, int count) {\n    return loop(Step().of(3), of, count);\n}\n";
    let is_run = |ahead: &str| is_source_run(&format!("{ahead}{class}{sum}"), &format!("{ahead}{sum}{class}"));
    assert!(is_run("using namespace other;\n"));
    // With a line that names it, there is no other.
    assert!(!is_run("class Step;\n"));
    // One that stands behind says nothing of what stands before it.
    let late = "class Step;\n";
    assert!(is_source_run(
        &format!("{class}{sum}{late}"),
        &format!("{sum}{class}{late}")
    ));
}

#[test]
fn an_overload_that_comes_from_another_namespace_is_run() {
    let step = "inline long step(long of) { return of; }\n";
    let header = |a: &str, b: &str| format!("namespace {a} {{\nlong step(int of);\n{b}}}\n");
    let sum =
        "#include \"step.h\"\nlong sum(const int *of, int count) {\n    return loop(a::step(of[0]), of, count);\n}\n";
    let of = |header: &str| program().with("step.h", header).with("sum.c", sum);
    let [apart, together] = [
        header("a", "") + "namespace b {\n" + step + "}\n",
        header("a", step) + "namespace b {\n}\n",
    ];
    assert!(is_run_between(&of(&apart), &of(&together)));
    // A namespace that merely has another name joins nothing.
    let renamed = |name: &str| of(&format!("{}namespace {name} {{\n{step}}}\n", header("a", "")));
    assert!(!is_run_between(&renamed("before"), &renamed("after")));
}

fn is_source_run(before: &str, after: &str) -> bool {
    let before = program().with("sum.c", before);
    is_run_between(&before, &before.clone().with("sum.c", after))
}

#[test]
fn a_type_that_is_only_announced_is_no_risk_where_its_file_defines_it() {
    let row = "struct Row {\n    int length;\n};\n";
    let of = |announced: &str, defined: &str| format!("{announced}{defined}{SIZED_SUM}");
    assert!(!is_source_run(&of("", row), &of("struct Row;\n", row)));
    assert!(!is_source_run(&of("struct Row;\n", row), &of("", row)));
    assert!(is_source_run(&of("", ""), &of("struct Row;\n", "")));
    assert!(is_source_run(
        &of("", row),
        &of("struct Row;\n", &row.replace("int", "long"))
    ));
}
