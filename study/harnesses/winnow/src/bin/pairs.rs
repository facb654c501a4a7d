//! A file of settings in bytes: keys, quoted texts with escapes, numbers, comments.

use std::hint::black_box;
use study_winnow::Numbers;
use winnow::combinator::{alt, delimited, repeat, terminated};
use winnow::error::{ContextError, ParserError};
use winnow::token::take_while;
use winnow::Parser;

fn quoted<'i, E: ParserError<&'i [u8]>>() -> impl Parser<&'i [u8], usize, E> {
    let piece = alt((
        take_while(1.., |byte: u8| byte != b'"' && byte != b'\\').map(|text: &[u8]| text.len()),
        b"\\\"".value(1),
        b"\\n".value(1),
    ));
    delimited(
        b'"',
        repeat(0.., piece).map(|lengths: Vec<usize>| lengths.iter().sum()),
        b'"',
    )
}

fn pair<'i, E: ParserError<&'i [u8]>>() -> impl Parser<&'i [u8], usize, E> {
    let key = take_while(1.., (b'a'..=b'z', b'0'..=b'9', b'-')).map(|key: &[u8]| key.len());
    let number = take_while(1.., b'0'..=b'9').map(|digits: &[u8]| digits.len());
    let comment = delimited(b'#', take_while(0.., |byte: u8| byte != b'\n'), b'\n').value(0);
    alt((
        comment,
        (terminated(key, b" = "), alt((quoted(), number)), b'\n')
            .map(|(key, value, _)| key + value),
    ))
}

#[inline(never)]
pub fn subject(file: &[u8]) -> usize {
    let lengths: Vec<usize> = repeat(1.., pair::<ContextError>())
        .parse(file)
        .unwrap_or_default();
    lengths.len() + lengths.iter().sum::<usize>()
}

fn main() {
    let mut numbers = Numbers::new(3);
    let file: String = (0..6_000)
        .map(|index| match index % 4 {
            0 => format!("# comment {index}\n"),
            1 => format!("key-{index} = {}\n", numbers.below(1 << 30)),
            _ => format!(
                "key-{index} = \"some text {} \\\"quoted\\\" and\\n more\"\n",
                numbers.below(1_000)
            ),
        })
        .collect();
    assert!(black_box(subject(black_box(file.as_bytes()))) > 50_000);
}
