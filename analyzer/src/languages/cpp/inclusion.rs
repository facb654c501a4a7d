//! A source → its directives that include files, and those that conditions and names of such directives depend on.

use super::included_files::{IncludedHeader, included, is_of_a_system};
use super::readable::other_systems::directive_text;
use super::readable::{CodeBytes, joined_lines};
use super::systems::{is_like, is_of_compilers, macros_of_header};
use crate::languages::{DirectiveEffect, DirectiveRole, InclusionDirective};
use crate::text_search::words_in;

/// Has an assembler put a file into the program.
const ASSEMBLER_INCLUDES: &str = ".incbin";

/// The directives in the order of the source, each with the conditions that it stands under.
pub(super) fn directives(source: &[u8]) -> Vec<InclusionDirective> {
    let source = String::from_utf8_lossy(source);
    let code = CodeBytes::of(source.as_bytes());
    let mut conditions: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for line in joined_lines(source.as_bytes(), &code) {
        let Some(place) = line.directive else {
            // The assembler reads a file of any name.
            let text = &source[line.range];
            if text.contains(ASSEMBLER_INCLUDES) {
                found.push(InclusionDirective {
                    text: text.trim().to_owned(),
                    conditions: conditions.clone(),
                    effect: DirectiveEffect::IncludesByMacro,
                });
            }
            continue;
        };
        let text = directive_text(&source, &place, &code);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let word = words_in(&text).next().unwrap_or_default();
        let rest = text.strip_prefix(word).unwrap_or(&text);
        let effect = match word {
            "if" | "ifdef" | "ifndef" => {
                conditions.push(text);
                continue;
            }
            // The branches before it decide as well.
            word if word.starts_with("el") => {
                let before = conditions.pop().unwrap_or_default();
                conditions.push(format!("{before} {text}"));
                continue;
            }
            "endif" => {
                conditions.pop();
                continue;
            }
            "include" | "include_next" | "import" | "embed" => match included(rest.as_bytes()) {
                IncludedHeader::Quoted(name) | IncludedHeader::Bracketed(name) => {
                    DirectiveEffect::Includes(name.rsplit('/').next().unwrap_or(name).to_owned())
                }
                IncludedHeader::ByMacro(_) | IncludedHeader::Unwritten => DirectiveEffect::IncludesByMacro,
            },
            "define" | "undef" => {
                let name = words_in(rest).next().unwrap_or_default();
                DirectiveEffect::Defines(name.to_owned())
            }
            _ => continue,
        };
        found.push(InclusionDirective {
            text,
            conditions: conditions.clone(),
            effect,
        });
    }
    found
}

/// The part that a directive plays for what stands behind it.
pub(super) fn role_of_directive(text: &str) -> DirectiveRole<'_> {
    let Some(directive) = text.trim_start().strip_prefix('#').map(str::trim_start) else {
        return DirectiveRole::Other;
    };
    let word = words_in(directive).next().unwrap_or_default();
    let rest = directive.strip_prefix(word).unwrap_or(directive);
    match word {
        "undef" => DirectiveRole::Undefines(words_in(rest).next().unwrap_or_default()),
        "include" => DirectiveRole::Includes {
            is_known: included(rest.as_bytes()).written().is_some_and(is_of_a_system),
        },
        word if word.starts_with("if") || word.starts_with("el") => DirectiveRole::Condition,
        "pragma" if words_in(rest).eq(["once"]) => DirectiveRole::ReadsOnce,
        _ => DirectiveRole::Other,
    }
}

/// The header of a directive that declares nothing which code can mean without writing a new name.
pub(super) fn quiet_header(directive: &str) -> Option<&'static [String]> {
    let directive = directive.trim_start().strip_prefix('#')?.trim_start();
    let IncludedHeader::Bracketed(header) = included(directive.strip_prefix("include")?.as_bytes()) else {
        return None;
    };
    macros_of_header(header)
}

/// True if a directive of a source writes one of some macros, or one that is reserved for compilers and systems.
pub(super) fn asks_for(source: &[u8], macros: &[String]) -> bool {
    let source = String::from_utf8_lossy(source);
    let code = CodeBytes::of(source.as_bytes());
    let mut directives = joined_lines(source.as_bytes(), &code).filter_map(|line| line.directive);
    directives.any(|place| {
        let text = directive_text(&source, &place, &code);
        let mut words = words_in(&text);
        words.next() != Some("include")
            && words.any(|word| {
                let is_reserved = word.starts_with('_') && !is_of_compilers(word);
                is_reserved || macros.iter().any(|known| is_like(word, known))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_stand_under_the_conditions_around_them() {
        let source = "#ifndef A_H // once\n#define A_H\n#if defined(X) && \\\n    Y\n# include \"a/fast.h\"\n#else\n#include <slow.h>\n\
                      #endif\n#include PART\n#endif\n#undef Z\nint a; // #include \"no.h\"\n";
        let found = directives(source.as_bytes());
        let shown: Vec<(&str, usize)> = found
            .iter()
            .map(|one| (one.text.as_str(), one.conditions.len()))
            .collect();
        let expected = [
            ("define A_H", 1),
            ("include \"a/fast.h\"", 2),
            ("include <slow.h>", 2),
            ("include PART", 1),
            ("undef Z", 0),
        ];
        assert_eq!(shown, expected);
        assert_eq!(found[1].effect, DirectiveEffect::Includes("fast.h".to_owned()));
        assert_eq!(found[2].conditions[1], "if defined(X) && Y else");
        assert_eq!(found[3].effect, DirectiveEffect::IncludesByMacro);
        assert_eq!(found[4].effect, DirectiveEffect::Defines("Z".to_owned()));
        let assembler = directives(b"__asm__(\".incbin \\\"data.bin\\\"\");\n");
        assert_eq!(assembler[0].effect, DirectiveEffect::IncludesByMacro);
    }
}
