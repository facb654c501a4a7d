//! Documents of many blocks read.

use pulldown_cmark::{Event, Parser};
use std::hint::black_box;
use study_pulldown_cmark::blocks;

#[inline(never)]
pub fn subject(documents: &[String]) -> usize {
    let mut events = 0;
    for document in documents {
        for event in Parser::new(document) {
            events += 1 + usize::from(matches!(event, Event::Start(_)));
        }
    }
    events
}

fn main() {
    let documents: Vec<String> = (0..20).map(|seed| blocks(100, seed)).collect();
    assert!(black_box(subject(black_box(&documents))) > 10_000);
}
