//! The attributes of all elements.

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
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                for attribute in tag.attributes().flatten() {
                    sum += attribute.key.as_ref().len() + 2 * attribute.value.len();
                }
            }
            Ok(Event::Eof) => return sum + 1,
            Ok(_) => {}
            Err(_) => return 0,
        }
    }
}

fn main() {
    let document = document(2_000, 2);
    assert!(black_box(subject(black_box(&document))) > 10_000);
}
