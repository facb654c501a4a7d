//! Changes that are planted in C and C++, and the code for them: C of 1989, with GCC's and Clang's way to hide a value from the
//! optimiser.

use tree_sitter::Tree;

use super::{C, CPP, CppLanguage};
use crate::instrument::seed::{
    PUBLISHED, PlantedCode, PlantedLoop, SeedableItems, Seeder, SiteGrammar, SnippetReturnKind, errors,
};
use crate::languages::LanguageSupport;
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::{LanguageGrammar, parse_tree_with_errors};

pub(super) const SEEDER: Seeder = Seeder {
    is_measured: |path| !CPP.words.is_for_tests(path),
    is_benchmark: |_path| false,
    items,
    is_sound: |path, before, edited| match [before, edited].map(|text| tree(path, text)) {
        [Some(before), Some(edited)] => errors(&edited) <= errors(&before),
        _ => false,
    },
    code: |name, _core| Box::new(CppCode { name }),
    is_declared_first: true,
    // Add, compare, jump. For this many rounds, what the start costs is below a hundredth.
    repeat: PlantedLoop {
        first: (0.0, 0.0),
        round: 3.0,
        fewest_rounds: 200.0,
    },
    kinds: &PUBLISHED,
};

const SITES: SiteGrammar = SiteGrammar {
    blocks: &["compound_statement"],
    scopes: &[
        "translation_unit",
        "declaration_list",
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
        "preproc_elif",
    ],
    conditionals: &["if_statement"],
    loops: &["for_statement", "while_statement", "do_statement", "for_range_loop"],
    calls: &["call_expression"],
    assignments: &["assignment_expression"],
    fields: &["field_expression"],
    bare_values: &["initializer_list", "declaration", "init_declarator"],
    // In older C, declarations come first in their block.
    no_sites: &["declaration", "type_definition", "case_statement", "using_declaration"],
    // `constexpr` stands as such before the function.
    refused: &[
        "co_await_expression",
        "co_yield_statement",
        "co_return_statement",
        "constexpr",
        "consteval",
    ],
    leaving: &[
        "return_statement",
        "goto_statement",
        "throw_statement",
        "break_statement",
        "continue_statement",
        "labeled_statement",
    ],
    nested: &[
        "lambda_expression",
        "class_specifier",
        "struct_specifier",
        "union_specifier",
    ],
    is_by_lines: false,
    has_docstrings: false,
};

/// The grammar of a file: a header may be in either language, and is read as C++.
fn grammar(path: &str) -> &'static LanguageGrammar {
    match path.ends_with(".c") {
        true => &C,
        false => &CPP,
    }
}

fn tree(path: &str, text: &str) -> Option<Tree> {
    parse_tree_with_errors(grammar(path), text, &ParseLimits::default())
}

fn items(path: &str, text: &str) -> Option<SeedableItems> {
    let test_only = CppLanguage.is_for_tests(path);
    let file = CppLanguage.parse(text, test_only, &ParseLimits::default());
    Some(SITES.items(text, &tree(path, text)?, &file))
}

/// The planted code, with the name of the new function.
struct CppCode<'a> {
    name: &'a str,
}

impl PlantedCode for CppCode<'_> {
    fn function(&self, gives: SnippetReturnKind) -> String {
        let (result, returned) = match gives {
            SnippetReturnKind::Number | SnippetReturnKind::Itself => ("unsigned", "state"),
            SnippetReturnKind::Truth => ("int", "(state | 1u) != 0u"),
        };
        format!(
            "static {result} {}(unsigned rounds)\n{{\n    unsigned state = rounds;\n    \
             unsigned step;\n    for (step = 0; step < rounds; step++) {{\n        \
             state = (state << 5 | state >> 27) ^ step;\n        \
             __asm__ volatile (\"\" : \"+r\" (state));\n    }}\n    return {returned};\n}}",
            self.name
        )
    }

    fn call(&self, rounds: u32) -> String {
        format!("(void) {}({rounds}u);", self.name)
    }

    fn guarded(&self, rounds: u32) -> String {
        format!("if ({0}(1u) != 0u) {{\n    (void) {0}({rounds}u);\n}}", self.name)
    }

    fn repeat(&self, rounds: u32) -> String {
        format!(
            "{{\n    unsigned step;\n    for (step = 0; step < {rounds}u; step++) {{\n        \
             __asm__ volatile (\"\" : \"+r\" (step));\n    }}\n}}"
        )
    }

    fn lines(&self, count: u32) -> String {
        let lines = (1..=count).map(|number| {
            let (turn, add) = (number % 31 + 1, number.wrapping_mul(2_654_435_761) >> 8);
            format!("    state = (state << {turn} ^ state) + {add}u; __asm__ volatile (\"\" : \"+r\" (state));")
        });
        let lines: Vec<String> = lines.collect();
        format!("{{\n    unsigned state = {count}u;\n{}\n}}", lines.join("\n"))
    }

    fn condition(&self, rounds: u32, condition: &str) -> String {
        format!("{}({rounds}u) && ({condition})", self.name)
    }

    fn value(&self, rounds: u32, value: &str) -> String {
        format!("((void) {}({rounds}u), ({value}))", self.name)
    }
}
