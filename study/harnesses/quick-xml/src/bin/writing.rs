//! A document written event by event, and text escaped.

use quick_xml::Writer;
use quick_xml::escape::escape;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use std::hint::black_box;
use study_quick_xml::Numbers;

#[inline(never)]
pub fn subject(names: &[String]) -> usize {
    let mut writer = Writer::new(Vec::new());
    let mut sum = 0;
    for name in names {
        let mut tag = BytesStart::new("record");
        tag.push_attribute(("name", name.as_str()));
        sum += usize::from(writer.write_event(Event::Start(tag)).is_ok());
        sum += usize::from(writer.write_event(Event::Text(BytesText::new(name))).is_ok());
        sum += usize::from(writer.write_event(Event::End(BytesEnd::new("record"))).is_ok());
        sum += escape(name.as_str()).len();
    }
    sum + writer.into_inner().len()
}

fn main() {
    let mut numbers = Numbers::new(4);
    let names: Vec<String> = (0..6_000)
        .map(|index| match index % 4 {
            0 => format!("a < {} & \"b\"", numbers.below(10_000)),
            _ => format!("plain name {}", numbers.below(10_000)),
        })
        .collect();
    assert!(black_box(subject(black_box(&names))) > 10_000);
}
