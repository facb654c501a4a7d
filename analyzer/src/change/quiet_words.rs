//! Two versions of a function → whether words differ that no call or operation shows, and on which depends all the same what is
//! computed: the types that integers are cast to, and what closures and blocks take with them or put off.
//!
//! Reads the source as it is written.

use std::collections::BTreeMap;

use super::raw_tokens;

/// Types between which a value is cast without a call.
const INTEGERS: [&str; 12] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
];

/// True if two versions of a function in which nothing else differs have other quiet words.
pub(super) fn has_other_quiet_words((before, after): (&str, &str)) -> bool {
    let all = |text| {
        let mut quiet = DividedLine::of(text).quiet;
        quiet.sort_unstable();
        quiet
    };
    all(before) != all(after)
}

/// True if a line that two versions of a function have differs in a quiet word alone. A cast that came or went may belong to
/// what changed beside it.
pub(super) fn has_line_with_other_quiet_words((before, after): (&str, &str)) -> bool {
    if before == after {
        return false;
    }
    let (before, after) = (lines(before), lines(after));
    before.iter().any(|(rest, was)| {
        let is = after.get(rest).filter(|is| is.len() == was.len());
        is.is_some_and(|is| was.iter().zip(is).any(|(was, is)| are_others(was, is)))
    })
}

fn are_others(was: &[QuietWord<'_>], is: &[QuietWord<'_>]) -> bool {
    let (casts, other_casts) = (casts(was), casts(is));
    casts.len() == other_casts.len() && was != is
}

fn casts<'w, 't>(quiet: &'w [QuietWord<'t>]) -> Vec<&'w QuietWord<'t>> {
    let is_cast = |word: &&QuietWord<'_>| matches!(word, QuietWord::Cast(_));
    quiet.iter().filter(is_cast).collect()
}

/// The quiet words of each line that has some, by the other words of the line.
fn lines(text: &str) -> BTreeMap<Vec<&str>, Vec<Vec<QuietWord<'_>>>> {
    let mut lines: BTreeMap<Vec<&str>, Vec<Vec<QuietWord<'_>>>> = BTreeMap::new();
    for line in text.lines().map(DividedLine::of).filter(|line| !line.rest.is_empty()) {
        lines.entry(line.rest).or_default().push(line.quiet);
    }
    lines.values_mut().for_each(|quiet| quiet.sort_unstable());
    lines
}

/// A word that the model of a function does not show.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum QuietWord<'t> {
    /// The type of a cast.
    Cast(&'t str),
    /// `move`, `async`.
    Capture(&'t str),
}

/// The words of a line, quiet ones apart.
struct DividedLine<'t> {
    rest: Vec<&'t str>,
    quiet: Vec<QuietWord<'t>>,
}

impl<'t> DividedLine<'t> {
    fn of(line: &'t str) -> Self {
        let (mut rest, mut quiet) = (Vec::new(), Vec::new());
        let mut words = raw_tokens::words(line).peekable();
        while let Some(word) = words.next() {
            let mut is_function = || matches!(words.peek(), Some(&("fn" | "unsafe")));
            if word == "move" || word == "async" && !is_function() {
                quiet.push(QuietWord::Capture(word));
            } else if INTEGERS.contains(&word) && rest.last() == Some(&"as") {
                rest.pop();
                quiet.push(QuietWord::Cast(word));
            } else {
                rest.push(word);
            }
        }
        Self { rest, quiet }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_type_of_a_cast_is_another_word() {
        assert!(has_other_quiet_words(("f(a as u8)", "f(a as u16)")));
        assert!(has_other_quiet_words(("f(a as u8)", "f(a)")));
        assert!(!has_other_quiet_words(("f(a as u8)", "f( a as u8 )")));
    }

    #[test]
    fn lines_that_differ_in_the_type_of_a_cast_or_in_what_is_taken_along_are_told() {
        let before = "g();\nf(a as u8);\nf(|| a);\n";
        assert!(has_line_with_other_quiet_words((
            before,
            "h();\nf(a as u16);\nf(|| a);\n"
        )));
        assert!(has_line_with_other_quiet_words((
            before,
            "h();\nf(a as u8);\nf(move || a);\n"
        )));
        assert!(!has_line_with_other_quiet_words((before, "h();\nf(a);\nf(|| a);\n")));
        assert!(!has_line_with_other_quiet_words((
            before,
            "h();\nf(a as u8, b as u16);\nf(|| a);\n"
        )));
    }
}
