//! Lines of a log split into their parts.

use std::hint::black_box;
use study_winnow::Numbers;
use winnow::ascii::dec_uint;
use winnow::combinator::{alt, delimited, opt, preceded};
use winnow::error::ParserError;
use winnow::token::{one_of, take_while};
use winnow::Parser;

/// Hour, minute, level, whether there is a key, text.
pub type Line<'i> = (u32, u32, u8, Option<&'i str>, &'i str);

fn line<'i, E: ParserError<&'i str>>() -> impl Parser<&'i str, Line<'i>, E> {
    let level = alt((
        "INFO".value(1u8),
        "WARN".value(2),
        "ERROR".value(3),
        "DEBUG".value(4),
    ));
    let key = delimited('(', take_while(1.., ('a'..='z', '_')), ')');
    (
        dec_uint,
        preceded(':', dec_uint),
        delimited(' ', level, ' '),
        opt(key),
        preceded(one_of([' ', '-']), take_while(0.., |c: char| c != '\n')),
    )
}

#[inline(never)]
pub fn subject(lines: &[String]) -> usize {
    let mut sum = 0;
    for text in lines {
        if let Ok((hour, minute, level, key, rest)) =
            line::<winnow::error::ContextError>().parse(text.as_str())
        {
            sum += hour as usize * minute as usize
                + usize::from(level)
                + key.map_or(0, str::len)
                + rest.len();
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(2);
    let lines: Vec<String> = (0..20_000)
        .map(|index| {
            let level = ["INFO", "WARN", "ERROR", "DEBUG"][numbers.below(4) as usize];
            let key = if index % 2 == 0 { "(some_key) " } else { " " };
            format!(
                "{}:{} {level} {key}the message {}",
                numbers.below(24),
                numbers.below(60),
                numbers.below(1 << 30)
            )
        })
        .collect();
    assert!(black_box(subject(black_box(&lines))) > 100_000);
}
