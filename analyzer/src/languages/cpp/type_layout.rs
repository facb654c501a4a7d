//! A type of two versions → whether its layout alone differs: plain fields or cases that came or went at its end.
//!
//! Code that stays as it is does the same with another layout, at other distances, as long as the size is about the same. Anything else may mean something else: a
//! field of another type, a base, an operator, a virtual method, a first value. A method without a body means nothing by itself.

use super::enumerations::is_of_usual_size;
use super::field_sizes::grows_little;
use super::readable::CodeBytes;
use crate::text_search::is_part_of_word;

/// Words of types whose values cost nothing to make, and of what may stand before them.
pub(super) const PLAIN_WORDS: [&str; 28] = [
    "bool",
    "char",
    "short",
    "int",
    "long",
    "signed",
    "unsigned",
    "float",
    "double",
    "const",
    "volatile",
    "mutable",
    "struct",
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "std",
    "FILE",
];

/// A type of fewer fields grows or shrinks by so large a part that copies of its values cost another amount.
const FEWEST_FIELDS: usize = 8;

/// Words that say who may see what follows.
const ACCESS: [&str; 3] = ["public", "private", "protected"];

/// Words of a method that is more than a name to call.
const MEANINGFUL: [&str; 12] = [
    "virtual",
    "operator",
    "template",
    "friend",
    "using",
    "typedef",
    "explicit",
    "override",
    "final",
    "static_assert",
    "decltype",
    "constexpr",
];

/// True if plain fields or cases at the end are all that differs between two texts of a type.
pub(super) fn differs_in_layout_alone(before: &str, after: &str) -> bool {
    let (Some(before), Some(after)) = (TypeText::of(before), TypeText::of(after)) else {
        return false;
    };
    let (fewer, more) = match before.members.len() < after.members.len() {
        true => (&before, &after),
        false => (&after, &before),
    };
    let is_same_around = before.head == after.head && before.tail == after.tail;
    let is_plain = |member: &&Vec<&str>| is_plain_field(member);
    // What stands behind all others leaves values that are listed by their places as they are.
    let Some(beyond) = more.members.strip_prefix(&*fewer.members).filter(|_| is_same_around) else {
        return false;
    };
    let fields = fewer.members.iter().filter(is_plain).count();
    if before.is_enumeration() {
        // A case of a large number may give all of them another size.
        return before.head.contains(&":") || beyond.iter().all(|case| is_of_usual_size(case));
    }
    beyond.len() * FEWEST_FIELDS <= fields
        && beyond.iter().all(|member| is_plain(&member))
        && grows_little(&fewer.members, &more.members)
}

/// A type's text in words and signs.
pub(super) struct TypeText<'t> {
    /// Up to its bracket.
    pub(super) head: Vec<&'t str>,
    pub(super) members: Vec<Vec<&'t str>>,
    /// Behind its bracket.
    pub(super) tail: Vec<&'t str>,
}

impl<'t> TypeText<'t> {
    /// `None` for a text without exactly one pair of outer brackets, or with directives.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let tokens = tokens(text);
        let open = tokens.iter().position(|token| *token == "{")?;
        let close = open + closing(&tokens[open..])?;
        let (head, tail) = (tokens[..open].to_vec(), tokens[close + 1..].to_vec());
        let is_whole = !tokens.contains(&"#") && !tail.contains(&"{") && !head.contains(&"}");
        let separator = if head.contains(&"enum") { "," } else { ";" };
        is_whole.then(|| Self {
            head,
            members: members(&tokens[open + 1..close], separator),
            tail,
        })
    }

    pub(super) fn is_enumeration(&self) -> bool {
        self.head.contains(&"enum")
    }
}

/// Words, and signs by themselves, without comments.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let code = CodeBytes::of(bytes);
    let mut found = Vec::new();
    let mut start = 0;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_part = letter.is_alphanumeric() || letter == '_';
        if is_part && !code.is_comment(at) {
            continue;
        }
        if start < at {
            found.push(&text[start..at]);
        }
        start = at + letter.len_utf8();
        if at < text.len() && !is_part && !letter.is_whitespace() && !code.is_comment(at) {
            found.push(&text[at..start]);
        }
    }
    found
}

/// The place of the bracket that closes the first one.
fn closing(tokens: &[&str]) -> Option<usize> {
    let mut open = 0_usize;
    tokens.iter().position(|token| {
        match *token {
            "{" => open += 1,
            "}" => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0
    })
}

/// The members of a body, without words of access, the bodies of methods, and methods that are found by their name alone.
fn members<'t>(mut body: &[&'t str], separator: &str) -> Vec<Vec<&'t str>> {
    let mut found = Vec::new();
    let mut member: Vec<&str> = Vec::new();
    let mut round = 0_usize;
    while let Some((token, rest)) = body.split_first() {
        body = rest;
        match *token {
            "(" => round += 1,
            ")" => round = round.saturating_sub(1),
            _ => {}
        }
        if *token == ":" && member.len() == 1 && ACCESS.contains(&member[0]) {
            member.clear();
        } else if *token == separator && round == 0 {
            found.push(std::mem::take(&mut member));
        } else if *token == "{" && member.contains(&")") {
            let end = closing(&[&["{"], rest].concat()).unwrap_or(rest.len());
            body = rest.get(end..).unwrap_or_default();
            found.push(std::mem::take(&mut member));
        } else if *token == "{" {
            let end = closing(&[&["{"], rest].concat()).unwrap_or(rest.len());
            let inside = &rest[..end.min(rest.len())];
            member.push(token);
            member.extend(inside);
            body = rest.get(end..).unwrap_or_default();
        } else {
            member.push(token);
        }
    }
    found.push(member);
    found.retain(|member| !member.is_empty() && !is_plain_method(member));
    found
}

/// True for fields of a plain type, or pointers: nothing runs to make one.
pub(super) fn is_plain_field(member: &[&str]) -> bool {
    let is_declaration = |token: &&str| is_word(token) || matches!(*token, "*" | "," | ":");
    // The names behind the first one have the same type.
    let first = member.split(|token| *token == ",").next().unwrap_or_default();
    let words: Vec<&str> = first.iter().copied().filter(|token| is_word(token)).collect();
    let Some((_, of_type)) = words.split_last() else {
        return false;
    };
    let is_pointer = member.split(|token| *token == ",").all(|part| part.contains(&"*"));
    let is_bit_field = member.contains(&":") && !member.windows(2).any(|two| two == [":", ":"]);
    member.iter().all(is_declaration)
        && !is_bit_field
        && !of_type.is_empty()
        && !words.iter().any(|word| MEANINGFUL.contains(word) || *word == "static")
        && (is_pointer
            || of_type
                .iter()
                .all(|word| PLAIN_WORDS.contains(word) && *word != "struct"))
}

/// True for a method that is found by its name alone.
fn is_plain_method(member: &[&str]) -> bool {
    let Some(open) = member.iter().position(|token| *token == "(") else {
        return false;
    };
    let before = &member[..open];
    let is_meaningful = |token: &&str| matches!(*token, "=" | "{" | "~" | "[") || MEANINGFUL.contains(token);
    // A constructor has no type before its name.
    before.iter().filter(|token| is_word(token)).count() > 1
        && before.last().is_some_and(|name| is_word(name))
        && !member.iter().any(is_meaningful)
}

pub(super) fn is_word(token: &str) -> bool {
    token
        .bytes()
        .next()
        .is_some_and(|first| is_part_of_word(&first) && !first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::differs_in_layout_alone;

    fn is_layout(before: &str, after: &str) -> bool {
        let is_layout = differs_in_layout_alone(before, after);
        assert_eq!(is_layout, differs_in_layout_alone(after, before), "{before} / {after}");
        is_layout
    }

    /// Fields before and behind those of a test.
    const BEFORE: &str = "char c; short d[3]; Other e; double *f; long g; long h;";
    const BEHIND: &str =
        "int i; long j, k; unsigned l; Other m; const char *n; bool o; float p; int q; int r; int s; int t; int u;";

    #[test]
    fn plain_fields_that_come_or_go_are_layout() {
        let of = |start: &str, end: &str, members: &str| format!("{start} {{ {BEFORE} {BEHIND} {members} {end}");
        for (start, end, before, after) in [
            ("struct S", "};", "", "/* new */ unsigned b;"),
            ("struct S", "};", "", "struct T *next;"),
            ("typedef struct", "} S;", "", "std::size_t b;"),
            (
                "class S",
                "};",
                "public: S(); private: int a;",
                "public: S(); private: int a; bool b;",
            ),
            (
                "class S : public T",
                "};",
                "int a() const { return 1; }",
                "int a() const { return 1; } static bool c(int of);",
            ),
            (
                "struct S",
                "};",
                "void f() { a(); } int x;",
                "void f() { b(); } int x; int y;",
            ),
        ] {
            assert!(is_layout(&of(start, end, before), &of(start, end, after)), "{after}");
        }
    }

    #[test]
    fn a_field_between_others_moves_the_values_of_a_list() {
        let of = |members: &str| format!("struct S {{ {BEFORE} {members} {BEHIND} }};");
        assert!(!is_layout(&of(""), &of("int a;")));
    }

    #[test]
    fn a_type_of_few_fields_has_another_size() {
        assert!(!is_layout(
            "struct S { int a; int b; };",
            "struct S { int a; int b; int c; };"
        ));
    }

    #[test]
    fn what_may_mean_something_else_is_more_than_layout() {
        let of = |text: &str| text.replace("int a;", &format!("int a; {BEHIND}"));
        let before = of("class S { int a; int f(int of); };");
        for after in [
            "class S { std::string b; int a; int f(int of); };",
            "class S { int a; int f(int of); int b = 3; };",
            "class S { int a; int f(int of); int b[90]; };",
            "class S { int a; int f(int of); unsigned b : 3; };",
            "class S { int a; int f(int of); struct T b; };",
            "class S { int a; int f(int of); T b, *c; };",
            "class S { int a; int f(int of); T *b, c; };",
            "class S { int a; int f(int of); static int b; };",
            "class S { int a; int f(int of); virtual void g(); };",
            "class S { int a; int f(int of); bool operator==(const S &); };",
            "class S { int a; int f(int of); S(int a); };",
            "class S { int a; int f(int of); ~S(); };",
            "class S { int a; int f(int of); S(const S &) = delete; };",
            "class S { int a; int f(int of); using T::f; };",
            "class S { int a; int f(int of); void (*g)(int of); };",
            "class S : T { int a; int f(int of); };",
            "struct S { int a; int f(int of); };",
            "class S { int a; int f(int of); } one;",
            "class S { int a; int f(int of);\n#pragma pack(1)\n int b; };",
        ] {
            assert!(!is_layout(&before, &of(after)), "{after}");
        }
        assert!(!is_layout(&before, &before.replace("int a;", "long a;")));
        assert!(!is_layout(&before, "class S;"));
    }

    #[test]
    fn a_case_at_the_end_leaves_the_others_as_they_are() {
        assert!(is_layout("enum E { A, B = 4 };", "enum E { A, B = 4, C };"));
        assert!(!is_layout("enum E { A, B };", "enum E { A, C, B };"));
        assert!(!is_layout("enum E { A, B };", "enum E { A, B = 4 };"));
        assert!(!is_layout("enum E : char { A };", "enum E : int { A };"));
        assert!(is_layout(
            "enum E { A };",
            "enum E { A, B = 0x80000000, C = 1u << 31 };"
        ));
        assert!(!is_layout("enum E { A };", "enum E { A, B = 0x100000000 };"));
        assert!(!is_layout("enum E { A };", "enum E { A, B = 1ull << 40 };"));
        assert!(is_layout(
            "enum E : long { A };",
            "enum E : long { A, B = 1ull << 40 };"
        ));
    }
}
