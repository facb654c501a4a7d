//! Changes that are planted in Python, and the code for them.

use super::{GRAMMAR, PythonLanguage};
use crate::instrument::seed::{
    PUBLISHED, PlantedCode, PlantedLoop, SeedableItems, Seeder, SiteGrammar, SnippetReturnKind, errors,
};
use crate::languages::LanguageSupport;
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::parse_tree_with_errors;

pub(super) const SEEDER: Seeder = Seeder {
    is_measured: |path| !GRAMMAR.words.is_for_tests(path),
    is_benchmark: |_path| false,
    items,
    is_sound: |_path, before, edited| match [before, edited].map(tree) {
        [Some(before), Some(edited)] => errors(&edited) <= errors(&before),
        _ => false,
    },
    code: |name, _core| Box::new(PythonCode { name }),
    is_declared_first: true,
    // Measured with CPython 3.12 and 3.13, built without optimisation by profile; 100 and 175 with 3.11. The numbers up to 256 are kept.
    repeat: PlantedLoop {
        first: (257.0, 90.0),
        round: 250.0,
        // The start costs as much as 9 to 20 rounds.
        fewest_rounds: 100.0,
    },
    kinds: &PUBLISHED,
};

const SITES: SiteGrammar = SiteGrammar {
    blocks: &["block"],
    scopes: &["module"],
    conditionals: &["if_statement"],
    loops: &["for_statement", "while_statement"],
    calls: &["call"],
    assignments: &["assignment"],
    fields: &["attribute"],
    bare_values: &["expression_list", "assignment", "augmented_assignment", "yield"],
    no_sites: &["global_statement", "nonlocal_statement", "decorated_definition"],
    refused: &["yield", "await", "async"],
    leaving: &[
        "return_statement",
        "raise_statement",
        "break_statement",
        "continue_statement",
    ],
    nested: &["function_definition", "class_definition", "lambda"],
    is_by_lines: true,
    has_docstrings: true,
};

fn tree(text: &str) -> Option<tree_sitter::Tree> {
    parse_tree_with_errors(&GRAMMAR, text, &ParseLimits::default())
}

fn items(path: &str, text: &str) -> Option<SeedableItems> {
    let test_only = PythonLanguage.is_for_tests(path);
    let file = PythonLanguage.parse(text, test_only, &ParseLimits::default());
    Some(SITES.items(text, &tree(text)?, &file))
}

/// The planted code, with the name of the new function.
struct PythonCode<'a> {
    name: &'a str,
}

impl PlantedCode for PythonCode<'_> {
    fn function(&self, gives: SnippetReturnKind) -> String {
        let (parameters, result) = match gives {
            SnippetReturnKind::Number => ("rounds", "state"),
            SnippetReturnKind::Truth => ("rounds", "state >= 0"),
            SnippetReturnKind::Itself => ("value, rounds", "value"),
        };
        format!(
            "def {}({parameters}):\n    state = rounds\n    for step in range(rounds):\n        \
             state = (state << 1 ^ step) & 65535\n    return {result}",
            self.name
        )
    }

    fn call(&self, rounds: u32) -> String {
        format!("{}({rounds})", self.name)
    }

    fn guarded(&self, rounds: u32) -> String {
        format!("if {0}(1) >= 0:\n    {0}({rounds})", self.name)
    }

    fn repeat(&self, rounds: u32) -> String {
        format!("for _ in range({rounds}):\n    pass")
    }

    fn lines(&self, count: u32) -> String {
        let name = self.name;
        let lines = (1..=count).map(|number| {
            let (turn, add) = (number % 7 + 1, number * 37 % 1_000);
            format!("{name} = ({name} << {turn} ^ {add}) & 65535")
        });
        let first = std::iter::once(format!("{name} = {count}"));
        first.chain(lines).collect::<Vec<_>>().join("\n")
    }

    fn condition(&self, rounds: u32, condition: &str) -> String {
        format!("{}({rounds}) and ({condition})", self.name)
    }

    fn value(&self, rounds: u32, value: &str) -> String {
        format!("({value}, {}({rounds}))[0]", self.name)
    }
}
