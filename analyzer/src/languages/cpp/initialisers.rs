//! A variable's definition → whether its first value may run code that does more than to make the value: an object that
//! registers itself when the program starts.

use super::type_layout::{PLAIN_WORDS, is_word, tokens};

/// Words of a definition that nothing runs for when the program starts.
const AT_COMPILE_TIME: [&str; 7] = ["constexpr", "constinit", "extern", "typedef", "using", "struct", "enum"];

/// Words that say where and how long a variable lives, and a type that its value decides.
const STORAGE: [&str; 6] = ["static", "inline", "thread_local", "register", "auto", "const"];

/// Words that look like a call and are none, besides casts.
const NO_CALLS: [&str; 6] = ["sizeof", "alignof", "decltype", "defined", "offsetof", "noexcept"];

/// Words that stand before brackets of their own.
const ATTRIBUTES: [&str; 4] = ["__attribute__", "__declspec", "alignas", "_Alignas"];

/// True if making the value may run code of the project that does more than to make it. The values of the standard library's
/// types are made in silence.
pub(super) fn may_have_effects(definition: &str) -> bool {
    let tokens = without_attributes(&tokens(definition));
    let Some(end) = tokens.iter().position(|token| matches!(*token, "=" | "(" | "{" | ";")) else {
        return false;
    };
    let (head, value) = tokens.split_at(end);
    let words: Vec<&str> = head.iter().copied().filter(|token| is_word(token)).collect();
    let Some((_, of_type)) = words.split_last() else {
        return false;
    };
    if of_type.is_empty() || words.iter().any(|word| AT_COMPILE_TIME.contains(word)) {
        return false;
    }
    let is_plain = head.contains(&"*")
        || of_type
            .iter()
            .all(|word| STORAGE.contains(word) || PLAIN_WORDS.contains(word));
    let is_of_library = of_type.contains(&"std");
    let is_constructed = matches!(value, ["(" | "{", ..]) && !is_plain && !is_of_library;
    is_constructed || holds_call(value)
}

/// True for a call of a function that is not the standard library's. A name without small letters is a macro's.
fn holds_call(value: &[&str]) -> bool {
    value.windows(2).enumerate().any(|(at, pair)| {
        let name = pair[0];
        let is_of_library = at >= 3 && value[at - 3..at] == ["std", ":", ":"];
        let is_call = pair[1] == "(" && is_word(name) && name.contains(char::is_lowercase);
        is_call && !is_of_library && !NO_CALLS.contains(&name) && !PLAIN_WORDS.contains(&name)
    })
}

fn without_attributes<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    let mut kept = Vec::new();
    let mut rest = tokens;
    while let Some((token, behind)) = rest.split_first() {
        rest = behind;
        if !ATTRIBUTES.contains(token) {
            kept.push(*token);
            continue;
        }
        let mut depth = 0_usize;
        let end = rest.iter().position(|token| {
            match *token {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        rest = end.and_then(|end| rest.get(end + 1..)).unwrap_or_default();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::may_have_effects;

    #[test]
    fn an_object_that_is_made_by_code_of_the_project_may_have_effects() {
        for definition in [
            "static const Registration again{widen};",
            "app::Registration again(\"name\", widen);",
            "static const bool done = (all().push_back(widen), true);",
            "const int count = add(widen);",
            "__attribute__((used)) static Registration again(widen);",
            "static auto added = app::add(widen);",
        ] {
            assert!(may_have_effects(definition), "{definition}");
        }
    }

    #[test]
    fn a_value_that_is_made_in_silence_has_no_effects() {
        for definition in [
            "static const int size = 3;",
            "static const int size(3);",
            "constexpr Pair pair{1, 2};",
            "extern Registration again;",
            "static const std::string name(\"name\");",
            "static const std::map<int, int> names{{1, 2}};",
            "static const auto name = std::make_pair(1, 2);",
            "static const size_t size = sizeof(int) * 3;",
            "static const Row rows[] = {{1, 2}, {3, 4}};",
            "static const Row row = ROW(1, 2);",
            "static int (*hook)(int) = widen;",
            "static Lock lock;",
            "static const float half = float(1) / 2;",
        ] {
            assert!(!may_have_effects(definition), "{definition}");
        }
    }
}
