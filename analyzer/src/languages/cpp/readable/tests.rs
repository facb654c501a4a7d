//! Sources that a grammar without a preprocessor cannot read.

use crate::syntax::{ItemKind, SourceFile, SourceParser, TokenDigest};

fn parsed(source: &str) -> SourceFile {
    SourceParser::default().parse("a.h", source.as_bytes())
}

/// The paths of the functions of a source that can be read as a whole.
fn functions(source: &str) -> Vec<String> {
    let file = parsed(source);
    assert!(file.problems.is_empty(), "{source}: {:?}", file.problems);
    file.functions.iter().map(|function| function.path.join("::")).collect()
}

/// The digests of what was read around.
fn marks(source: &str) -> Vec<TokenDigest> {
    let items = parsed(source).items.into_iter();
    items
        .filter(|item| item.kind == ItemKind::Attribute)
        .map(|item| item.digest)
        .collect()
}

/// All that a comparison of two versions looks at.
fn compared(source: &str) -> Vec<String> {
    let file = parsed(source);
    let functions = file
        .functions
        .iter()
        .map(|one| format!("{:?} {:?}", one.path, one.digest));
    let items = file.items.iter().map(|one| format!("{} {:?}", one.name, one.digest));
    let problems = file.problems.iter().map(|one| format!("{:?}", one.text));
    let mut all: Vec<String> = functions.chain(items).chain(problems).collect();
    all.sort();
    all
}

/// Sources with the functions that they have. None of them is read without a replacement.
const UNREADABLE: [(&str, &[&str]); 29] = [
    (
        "typedef void (APIENTRYP DRAW) (int mode);\nint one(int a) { return a; }\n",
        &["one"],
    ),
    (
        "class API Parser {\n    int next() { return 1; }\n};\n",
        &["Parser::next"],
    ),
    (
        "class API Parser : public Base {\n    int next() { return 1; }\n};\n",
        &["Parser::next"],
    ),
    (
        "struct API(1) Parser final {\n    int next() { return 1; }\n};\n",
        &["Parser::next"],
    ),
    ("static void CDECL release(void *at)\n{\n    at = 0;\n}\n", &["release"]),
    (
        "FORCE_INLINE\nint release(void *at)\n{\n    return !at;\n}\n",
        &["release"],
    ),
    (
        "FORCE_INLINE int\nrelease(void *at)\n{\n    return !at;\n}\n",
        &["release"],
    ),
    ("void release(void *at) NO_ANALYSIS\n{\n    at = 0;\n}\n", &["release"]),
    (
        "struct Set {\n    Set(Set&& other) NOEXCEPT : size(other.size) { }\n};\n",
        &["Set::Set"],
    ),
    (
        "struct Set {\n    Set& operator=(Set&& other) NOEXCEPT;\n    int size() { return 1; }\n};\n",
        &["Set::size"],
    ),
    (
        "struct Set {\n    bool operator==(const Set&) const NOEXCEPT {\n        return true;\n    }\n    \
         bool operator!=(const Set&) const NOEXCEPT {\n        return false;\n    }\n};\n",
        &["Set::operator==", "Set::operator!="],
    ),
    (
        "struct Set {\n    CONSTANT Set(int a, int b) noexcept\n        : a(a), b(b) {\n        if (a) b = 1;\n    }\n    int a, b;\n};\n",
        &["Set::Set"],
    ),
    (
        "struct Set {\n    template <typename T> friend ENABLED((isSet<T>), (bool)) operator==(const T& a, const Set& b) { return b == a; }\n};\n",
        &["Set::operator=="],
    ),
    (
        "template <typename T, typename U>\nauto shown(T* a, Place* b)\n    -> decltype(Shape<U, T>().show(*a, *b), \
         std::true_type());\nint one(int a) { return a; }\n",
        &["one"],
    ),
    (
        "template <typename T>\nstruct is_open<T, all<decltype(std::declval<T&>().data()),\n    \
         decltype(std::declval<T&>().operator[](size_t()))>>\n    : std::true_type {};\nint one(int a) { return a; }\n",
        &["one"],
    ),
    (
        "struct Set {\n    int* make(int n = 1, const void* = 0)\n    {\n        return &all[n];\n    }\n};\n",
        &["Set::make"],
    ),
    (
        "BEGIN_NAMESPACE\n\nint one(int a LIFETIME, int b) { return a + b; }\n\nEND_NAMESPACE\n",
        &["one"],
    ),
    (
        "template <typename T, ENABLE_IF(!std::is_same<T, int>::value)>\nint one(T a) { return a; }\n",
        &["one"],
    ),
    (
        "int one(int a) {\n    if CONSTEXPR (a > 1) { return 2; }\n    return a;\n}\n",
        &["one"],
    ),
    (
        "int one(int a) {\n    TRY { a++; }\n    CATCH(...) { a--; }\n    return a;\n}\n",
        &["one"],
    ),
    (
        "size_t one(size_t a) {\n    if (a > 64 KB) a -= 32 KB;\n    return (unsigned(a) << 2);\n}\n",
        &["one"],
    ),
    (
        "#if HAS(<bit>) && HAS(a::b)\nint one(int a) { return a; }\n#endif\n",
        &["one"],
    ),
    (
        "enum : unsigned { FIRST };\nint one(Set a, Place at = {}) { return a.size; }\n",
        &["one"],
    ),
    (
        "FN Set::Set(int a): a(a) { }\nFN Set& Set::with(int a) { return typename Set::Value(a); }\n",
        &["Set::Set", "Set::with"],
    ),
    (
        "#define CHECKED(a) \\\n    if (a > 1) { \\\n        a--; /* less */ \\\n    }\nint one(int a) { CHECKED(a); return a; }\n",
        &["one"],
    ),
    (
        "int one(int a) {\n#if FAST\n    if (a > 1) {\n#else\n    if (a > 2) {\n#endif\n        a--;\n    }\n    return a;\n}\n",
        &["one"],
    ),
    (
        "int one(int a) {\n    int b =\n#if FAST\n        1\n#else\n        2\n#endif\n        ;\n    goto end;\nend:\n#if FAST\n    a++;\n#endif\n    return a + b;\n}\n",
        &["one"],
    ),
    (
        "struct Value {\n#ifdef SIMPLE\n    Value(int n)\n#else\n    Value(long n)\n#endif\n        : n(n) { }\n    int n;\n};\n",
        &["Value::Value"],
    ),
    (
        "int one(int a) {\n    static const char kinds[] = {\n#define TWO 0, 0\n        1, TWO, TWO\n#undef TWO\n    };\n    return kinds[a];\n}\n",
        &["one"],
    ),
];

#[test]
fn functions_are_read_beside_what_only_a_preprocessor_knows() {
    for (source, expected) in UNREADABLE {
        assert_eq!(functions(source), expected, "{source}");
    }
}

#[test]
fn no_word_changes_unseen() {
    for (source, _) in UNREADABLE {
        let before = compared(source);
        let places: Vec<usize> = (source.match_indices(|letter: char| letter.is_ascii_alphanumeric()))
            .map(|(at, _)| at)
            .filter(|at| !runs_nothing(source, *at))
            .collect();
        for at in places {
            let other = match &source[at..=at] {
                "z" => "a",
                "9" => "1",
                "Z" => "A",
                letter => &char::from(letter.as_bytes()[0] + 1).to_string(),
            };
            let changed = [&source[..at], other, &source[at + 1..]].concat();
            assert_ne!(compared(&changed), before, "{changed}");
        }
    }
}

/// A declaration without a body says nothing of what runs, and no comment does.
fn runs_nothing(source: &str, at: usize) -> bool {
    let is_comment = source[..at]
        .rfind("/*")
        .is_some_and(|open| !source[open..at].contains("*/"));
    let start = source[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = source[start..].lines().next().unwrap_or_default();
    is_comment || line.contains("operator=")
}

#[test]
fn whole_definitions_are_read_beside_an_error_of_many_lines() {
    let lost = "    )) lost ((\n".repeat(50);
    let source =
        format!("int one(void) {{ return 1; }}\n\nint broken( {{\n{lost}}}}}\n\nint two(void) {{ return 2; }}\n");
    let file = parsed(&source);
    assert!(!file.problems.is_empty());
    let names: Vec<&str> = file.functions.iter().map(|function| function.name()).collect();
    assert!(
        names.contains(&"one") && names.contains(&"two"),
        "{names:?}: {:?}",
        file.problems
    );
    let other = compared(&source.replace("lost", "found"));
    assert_ne!(other, compared(&source));
}

#[test]
fn linkage_for_one_language_alone_hides_nothing() {
    let source =
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint one(void) { return 1; }\n#ifdef __cplusplus\n}\n#endif\n";
    assert_eq!(functions(source), ["one"]);
}

#[test]
fn a_macro_before_a_function_is_one_of_its_attributes() {
    let source = "static void FAST release(void *at) { at = 0; }\nstatic void other(void) {}\n";
    let attributes = |source: &str| -> Vec<Vec<String>> {
        let functions = parsed(source).functions;
        functions.iter().map(|function| function.attributes.clone()).collect()
    };
    assert_eq!(attributes(source), [vec!["FAST".to_owned()], Vec::new()]);
    let above = source.replace("static void FAST", "FAST NO_ANALYSIS(1)\nstatic void");
    assert_eq!(attributes(&above)[0], ["FAST", "NO_ANALYSIS(1)"]);
    let elsewhere = "static void release(void *at) { at = 0; }\nstatic void FAST other(void) {}\n";
    assert_ne!(compared(source), compared(elsewhere));
    assert_ne!(compared(source), compared(&source.replace("FAST", "SLOW")));
}

#[test]
fn a_macro_before_a_declaration_without_a_body_is_called_as_that() {
    let source = "API int one(int a) NOEXCEPT;\nint two(int a) { return a; }\n";
    let names = |source: &str| -> Vec<String> { parsed(source).items.into_iter().map(|item| item.name).collect() };
    assert_eq!(names(source), ["one", "one"]);
    assert_ne!(compared(source), compared(&source.replace("API", "LOCAL")));
}

#[test]
fn a_macro_that_moves_to_another_function_is_seen() {
    let function = |name: &str| format!("static void CDECL {name}(void *at) {{ at = 0; }}\n");
    let one = ["FAST\n", &function("first"), &function("second")].concat();
    let other = [&function("first"), "FAST\n", &function("second")].concat();
    assert_ne!(compared(&one), compared(&other));
}

#[test]
fn a_change_of_the_code_around_a_macro_in_a_body_is_none_of_the_macro() {
    let source = "int one(int a) {\n    if CONSTEXPR (a > 1) { return 2; }\n    return a + 7;\n}\n";
    assert_eq!(marks(source), marks(&source.replace("a + 7", "a + 8")));
    assert_eq!(marks(source), marks(&source.replace("return 2", "return 3")));
}

#[test]
fn a_type_or_value_in_capitals_stays() {
    let source = "struct STAT now = {0};\nstatic UINT size(WORD of) { return of + LIMIT; }\n";
    assert_eq!(functions(source), ["size"]);
    assert!(marks(source).is_empty());
    let beside_an_error =
        "static FILE *open(FILE *of) { return of; }\nstatic void FAST one(FILE *of, int) { of = 0; }\n";
    assert_eq!(functions(beside_an_error), ["open", "one"]);
    assert!(marks(beside_an_error).is_empty());
    let attributes = |at: usize| parsed(beside_an_error).functions[at].attributes.clone();
    assert_eq!((attributes(0), attributes(1)), (Vec::new(), vec!["FAST".to_owned()]));
}

#[test]
fn a_declaration_by_which_an_overload_is_chosen_does_not_change_unseen() {
    let declared = "template <typename T> auto shown(T* a) -> decltype(a->show());\n";
    assert_ne!(compared(declared), compared(&declared.replace("show()", "hide()")));
}

#[test]
fn a_macro_that_marks_a_declaration_is_compared_and_what_says_no_more_than_types_is_not() {
    let declared = "API place_t* shown(void *at, int size);\nint one(int a) { return a; }\n";
    let other = |from: &str, to: &str| compared(&declared.replace(from, to));
    assert_eq!(compared(declared), other("void *at", "void *start"));
    assert_eq!(compared(declared), other("place_t* ", "place_t*\n"));
    assert_ne!(compared(declared), other("API", "COLD_API"));
    assert_ne!(compared(declared), other("API ", ""));
}

#[test]
fn a_marked_variable_is_no_declaration_of_a_function() {
    for (from, to) in [("100", "40000"), ("SMALL", "LARGE"), ("small", "large")] {
        let declared = format!("API place_t table({from});\nint one(int a) {{ return a; }}\n");
        assert_ne!(compared(&declared), compared(&declared.replace(from, to)), "{from}");
    }
}
