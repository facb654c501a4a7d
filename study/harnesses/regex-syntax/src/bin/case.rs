//! Expressions without regard to case parsed.

use regex_syntax::ParserBuilder;
use std::hint::black_box;

#[inline(never)]
pub fn subject(expressions: &[&str], times: usize) -> usize {
    let mut parsed = 0;
    for _ in 0..times {
        for expression in expressions {
            let tree = ParserBuilder::new()
                .case_insensitive(true)
                .build()
                .parse(expression);
            parsed += usize::from(tree.is_ok());
        }
    }
    parsed
}

fn main() {
    let expressions = [
        "content-(?:length|type|encoding): ",
        "[a-f0-9]{32}|[k-s]",
        "straße|größe|привет",
        "(?x) a b c # with a comment\n | [d-z] ",
    ];
    assert_eq!(
        black_box(subject(black_box(&expressions), black_box(60))),
        240
    );
}
