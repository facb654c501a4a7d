//! The words between a version's sources and the preprocessor that reads them before the compiler does: the macros that are
//! known, the names that a source asks for, defines and includes, and what its directives do.

use std::collections::{BTreeMap, BTreeSet};

use crate::text_search::words_in;

/// The macros that are known where a source begins.
pub(crate) trait KnownMacros {
    /// A name there.
    fn at_start(&self, name: &str) -> MacroAtStart;

    /// The names that are known behind a line that includes a header, which is written with the signs around its name.
    fn behind_include(&self, header: &str) -> BTreeMap<String, MacroAtStart>;
}

/// A name where a source begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MacroAtStart {
    /// It is not defined before the source defines it.
    Undefined,
    /// It stands for this text until the source says otherwise.
    Text(String),
    /// It stands for a text with parameters, `(x) x + 1`, until the source says otherwise.
    WithParameters(String),
    /// Nobody knows before the source defines it.
    Unknown,
    /// Nobody knows anywhere in the source: others define it as well.
    Unsettled,
}

/// The parts of a source that a preprocessor reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PreprocessorUse {
    /// Names that it defines or takes back.
    pub(crate) defines: BTreeSet<String>,
    /// Names that it keeps and brings back, so that the order of its lines does not tell what they stand for.
    pub(crate) keeps: BTreeSet<String>,
    /// Names that its conditions ask for, and those in the texts of its macros.
    pub(crate) asks: BTreeSet<String>,
    /// The headers that it includes, with the signs around their names.
    pub(crate) includes: BTreeSet<String>,
    /// The macros that stand for headers which it includes.
    pub(crate) included_by_name: BTreeSet<String>,
    /// The macros that it defines as nothing but headers, with these, as it includes others.
    pub(crate) named_headers: BTreeMap<String, BTreeSet<String>>,
    /// True if all of it stands under a condition, or a mark, that lets no unit read it twice.
    pub(crate) is_read_once: bool,
    /// The macro of that condition.
    pub(crate) guard: Option<String>,
}

impl PreprocessorUse {
    /// The headers that it or another source includes by its words.
    pub(crate) fn may_include(&self) -> impl Iterator<Item = &String> {
        self.includes.iter().chain(self.named_headers.values().flatten())
    }
}

/// A directive that includes a file, or defines what another one may depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InclusionDirective {
    /// All of it, without comments.
    pub(crate) text: String,
    /// The conditions that it stands under, those of earlier branches included.
    pub(crate) conditions: Vec<String>,
    /// Its effect.
    pub(crate) effect: DirectiveEffect,
}

/// The effect of a directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DirectiveEffect {
    /// It includes a file of this name, without its folder.
    Includes(String),
    /// It includes a file that a macro names.
    IncludesByMacro,
    /// It defines a word anew, or no longer.
    Defines(String),
}

impl InclusionDirective {
    /// The words that decide whether it has its effect, and which.
    pub(crate) fn deciding_words(&self) -> impl Iterator<Item = &str> {
        let own = match self.effect {
            DirectiveEffect::Includes(_) => None,
            DirectiveEffect::IncludesByMacro | DirectiveEffect::Defines(_) => Some(&self.text),
        };
        let texts = self.conditions.iter().chain(own);
        texts.flat_map(|text| words_in(text))
    }
}

/// The part that a directive plays for what stands behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirectiveRole<'t> {
    /// Ends a macro of this name.
    Undefines(&'t str),
    /// Includes a file.
    Includes {
        /// It comes with a compiler or a system.
        is_known: bool,
    },
    /// Decides whether what stands in it, or around it, is compiled.
    Condition,
    /// Has the file read no more than once.
    ReadsOnce,
    /// Any other.
    Other,
}
