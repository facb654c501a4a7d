//! Lists of numbers, added up while they are read.

use std::hint::black_box;
use study_winnow::Numbers;
use winnow::ascii::{dec_uint, space0};
use winnow::combinator::{repeat, terminated};
use winnow::error::ParserError;
use winnow::Parser;

fn number<'i, E: ParserError<&'i str>>() -> impl Parser<&'i str, u64, E> {
    terminated(dec_uint, (space0, ",", space0))
}

#[inline(never)]
pub fn subject(lines: &[String]) -> u64 {
    let mut sum = 0u64;
    for line in lines {
        let list: Result<Vec<u64>, _> =
            repeat(0.., number::<winnow::error::ContextError>()).parse(line.as_str());
        if let Ok(list) = list {
            sum += list.iter().sum::<u64>();
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(1);
    let lines: Vec<String> = (0..800)
        .map(|_| {
            (0..60)
                .map(|_| format!("{} , ", numbers.below(1 << 20)))
                .collect()
        })
        .collect();
    assert!(black_box(subject(black_box(&lines))) > 1_000_000);
}
