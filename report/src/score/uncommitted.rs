//! Changed files of a checkout → the note that they are not part of what is scored or measured.

use crate::number_format::counted_noun;
use crate::text;

/// Files that the note names.
const FILES_SHOWN: usize = 3;

/// `uncommitted changes in 4 files are not part of HEAD: src/a.rs, src/b.rs, src/c.rs and 1 more`; `None` without any.
#[must_use]
pub fn uncommitted_note(files: &[String]) -> Option<String> {
    if files.is_empty() {
        return None;
    }
    let shown: Vec<_> = files.iter().take(FILES_SHOWN).map(|file| text::safe(file)).collect();
    let more = match files.len().saturating_sub(FILES_SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "uncommitted changes in {} are not part of HEAD: {}{more}",
        counted_noun(files.len(), "file"),
        shown.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_files_are_named_and_the_others_counted() {
        let files = |count: usize| (0..count).map(|index| format!("src/f{index}.rs")).collect::<Vec<_>>();
        assert_eq!(uncommitted_note(&[]), None);
        assert_eq!(
            uncommitted_note(&files(1)).as_deref(),
            Some("uncommitted changes in 1 file are not part of HEAD: src/f0.rs")
        );
        assert_eq!(
            uncommitted_note(&files(5)).as_deref(),
            Some("uncommitted changes in 5 files are not part of HEAD: src/f0.rs, src/f1.rs, src/f2.rs and 2 more")
        );
    }
}
