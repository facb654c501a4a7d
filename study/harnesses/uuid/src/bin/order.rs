//! Identifiers sorted and looked up, as the keys of a table are.

use std::collections::BTreeSet;
use std::hint::black_box;
use study_uuid::Numbers;
use uuid::Uuid;

#[inline(never)]
pub fn subject(ids: &[Uuid]) -> usize {
    let set: BTreeSet<Uuid> = ids.iter().cloned().collect();
    let mut found = 0;
    for id in ids {
        found += usize::from(set.contains(id)) + usize::from(*id == Uuid::nil());
    }
    found + set.iter().filter(|id| id.get_version_num() == 4).count()
}

fn main() {
    let mut numbers = Numbers::new(4);
    let ids: Vec<Uuid> = (0..12_000)
        .map(|_| {
            let text = format!(
                "{:08x}-1111-4222-8333-4444{:08x}",
                numbers.below(1 << 31),
                numbers.below(1 << 31)
            );
            Uuid::parse_str(&text).expect("an identifier")
        })
        .collect();
    assert_eq!(black_box(subject(black_box(&ids))), 24_000);
}
