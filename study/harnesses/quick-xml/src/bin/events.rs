//! The events of a document.

use quick_xml::Reader;
use quick_xml::events::Event;
use std::hint::black_box;
use study_quick_xml::document;

#[inline(never)]
pub fn subject(document: &str) -> usize {
    let mut reader = Reader::from_str(document);
    let mut sum = 0;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => sum += 3 * tag.name().as_ref().len(),
            Ok(Event::Empty(tag)) => sum += 5 * tag.name().as_ref().len(),
            Ok(Event::End(tag)) => sum += tag.name().as_ref().len(),
            Ok(Event::Text(text)) => sum += text.len(),
            Ok(Event::Eof) => return sum,
            Ok(_) => sum += 1,
            Err(_) => return 0,
        }
    }
}

fn main() {
    let document = document(2_500, 1);
    assert!(black_box(subject(black_box(&document))) > 10_000);
}
