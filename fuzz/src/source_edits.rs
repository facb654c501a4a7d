//! A source → another that is nearly always valid: whole lines and words change, brackets stay as they are.

use super::random::Numbers;

/// A source with one to four edits.
pub(crate) fn edit(source: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    for _ in 0..=numbers.below(4) {
        if lines.is_empty() {
            break;
        }
        let at = numbers.below(lines.len());
        match numbers.below(4) {
            0 if is_statement(&lines[at]) => drop(lines.remove(at)),
            1 if is_statement(&lines[at]) => lines.insert(at, lines[at].clone()),
            2 => {
                let other = numbers.below(lines.len());
                if is_statement(&lines[at])
                    && is_statement(&lines[other])
                    && indent(&lines[at]) == indent(&lines[other])
                {
                    lines.swap(at, other);
                }
            }
            _ => lines[at] = with_another_word(&lines[at], numbers),
        }
    }
    lines.join("\n") + "\n"
}

/// True for a line that opens and closes nothing, and that another of its indentation can stand for.
fn is_statement(line: &str) -> bool {
    let count = |letters: [char; 3]| line.matches(letters).count();
    let text = line.trim_end();
    !text.is_empty() && !text.ends_with([':', '\\', ',']) && count(['(', '[', '{']) == count([')', ']', '}'])
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line with one of its words in place of another, or with another number.
fn with_another_word(line: &str, numbers: &mut Numbers) -> String {
    let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
    let words: Vec<&str> = line
        .split(|letter| !is_part(letter))
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        return line.to_owned();
    }
    let old = words[numbers.below(words.len())];
    let new = match old.parse::<u32>() {
        Ok(number) => number.wrapping_add(1).to_string(),
        Err(_) => words[numbers.below(words.len())].to_owned(),
    };
    line.replacen(old, &new, 1)
}
