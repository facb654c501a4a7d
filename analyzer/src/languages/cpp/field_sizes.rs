//! The fields of a type → how many bytes its values have, as compilers for 64 bits lay them out.

use super::type_layout::{is_plain_field, is_word};

const POINTER: u64 = 8;

/// A type that grows by so large a part, or more, makes code that copies its values, or walks over many, that much dearer.
const LARGE_PART: u64 = 8;

/// True if fields behind others make values larger by a part that is no large one. Only the size of plain fields is known: others
/// count as nothing, so that the part is never taken for smaller than it is.
pub(super) fn grows_little(fewer: &[Vec<&str>], more: &[Vec<&str>]) -> bool {
    let beyond = more.get(fewer.len()..).unwrap_or_default();
    let (before, after) = (size_of(fewer), size_of(more));
    let growth = match fewer.iter().all(|member| is_plain_field(member)) {
        true => after.saturating_sub(before),
        // Nobody knows which holes the others leave.
        false => size_of(beyond).max(after.saturating_sub(before)),
    };
    growth * LARGE_PART < before || growth == 0
}

fn size_of(members: &[Vec<&str>]) -> u64 {
    let mut end: u64 = 0;
    let mut alignment = 1;
    for size in members
        .iter()
        .filter(|member| is_plain_field(member))
        .flat_map(|member| sizes(member))
    {
        end = end.next_multiple_of(size) + size;
        alignment = alignment.max(size);
    }
    end.next_multiple_of(alignment)
}

/// The sizes of the fields that one declaration lists.
fn sizes(member: &[&str]) -> Vec<u64> {
    let of_type = member.split(|token| *token == ",").next().map_or(POINTER, size_of_type);
    let fields = member.split(|token| *token == ",");
    fields
        .map(|field| if field.contains(&"*") { POINTER } else { of_type })
        .collect()
}

fn size_of_type(declared: &[&str]) -> u64 {
    let words: Vec<&str> = declared.iter().copied().filter(|token| is_word(token)).collect();
    let of_type = words.split_last().map_or(&[][..], |(_, of_type)| of_type);
    let has = |names: &[&str]| of_type.iter().any(|word| names.contains(word));
    if has(&["char", "bool", "int8_t", "uint8_t"]) {
        1
    } else if has(&["short", "int16_t", "uint16_t"]) {
        2
    } else if has(&[
        "long",
        "double",
        "int64_t",
        "uint64_t",
        "size_t",
        "ssize_t",
        "ptrdiff_t",
        "intptr_t",
        "uintptr_t",
    ]) {
        8
    } else {
        4
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::type_layout::TypeText;
    use super::grows_little;

    #[test]
    fn a_type_that_grows_by_an_eighth_grows_by_a_large_part() {
        let is_little = |before: &str, more: &str| {
            let (before, after) = (
                format!("struct S {{ {before} }};"),
                format!("struct S {{ {before} {more} }};"),
            );
            let members = |text| TypeText::of(text).unwrap().members;
            grows_little(&members(&before), &members(&after))
        };
        let bytes = "char a, b, c, d, e, f, g, h;";
        let longs = "long a, b, c, d, e, f, g, h, i;";
        assert!(!is_little(bytes, "long more;"));
        assert!(!is_little(bytes, "char more;"));
        assert!(is_little(longs, "long more;"));
        assert!(is_little(longs, "void *more;"));
        assert!(!is_little(longs, "long more, still;"));
        // It fits into the hole at the end.
        assert!(is_little("long a; int b;", "int more;"));
        assert!(!is_little("long a; Other b;", "int more;"));
    }
}
