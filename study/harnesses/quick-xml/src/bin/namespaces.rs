//! The events of a document with resolved namespaces, read through a buffer.

use quick_xml::NsReader;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;
use std::hint::black_box;
use study_quick_xml::document;

#[inline(never)]
pub fn subject(document: &[u8]) -> usize {
    let mut reader = NsReader::from_reader(document);
    let mut buffer = Vec::new();
    let mut sum = 0;
    loop {
        buffer.clear();
        match reader.read_resolved_event_into(&mut buffer) {
            Ok((ResolveResult::Bound(namespace), Event::Start(tag))) => {
                sum += namespace.as_ref().len() + tag.local_name().as_ref().len();
            }
            Ok((_, Event::Eof)) => return sum,
            Ok(_) => sum += 1,
            Err(_) => return 0,
        }
    }
}

fn main() {
    let document = document(2_000, 3);
    assert!(black_box(subject(black_box(document.as_bytes()))) > 10_000);
}
