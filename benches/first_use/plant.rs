//! A source and the line of a function → the source with an empty loop, or a comment, at the start of its body.

/// Rounds of the loop: seen in any benchmark that calls the function once.
const ROUNDS: u32 = 2000;

/// The text of the loop, as versions of the compiler take it.
pub(crate) const LOOPS: [&str; 2] = ["::core::hint::black_box(0_u32);", "::std::hint::black_box(0_u32);"];

/// The source with the loop; `None` if there is no body that can hold one.
pub(crate) fn with_loop(source: &str, line: usize, work: &str) -> Option<String> {
    insert(source, line, &format!("\n    for _ in 0..{ROUNDS} {{ {work} }}\n"))
}

/// The source with a comment.
pub(crate) fn with_comment(source: &str, line: usize) -> Option<String> {
    insert(source, line, "\n    // Nothing happens here.\n")
}

fn insert(source: &str, line: usize, text: &str) -> Option<String> {
    let start: usize = source
        .split_inclusive('\n')
        .take(line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let function = start + source[start..].find("fn ")?;
    if source[start..function].contains("const") || source[start..function].lines().count() > 6 {
        return None;
    }
    let mut depth = 0_usize;
    for (at, character) in source[function..].char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            ';' if depth == 0 => return None,
            '{' if depth == 0 => {
                let body = function + at + 1;
                return Some(format!("{}{text}{}", &source[..body], &source[body..]));
            }
            _ => {}
        }
    }
    None
}
