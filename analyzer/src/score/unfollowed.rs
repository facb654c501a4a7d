//! Changes in languages whose declarations are not followed → the files in which they stand, and the code that may depend
//! on them, as far as a sample tells; types of which the layout alone changed are changes like others.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use profile::inputs::UnitKind;

use super::VersionSources;
use crate::change::{
    ChangeKind, ChangeSet, ChangeSubject, ChangedDeclaration, DegradedFile, FunctionPair, ItemEffect, ItemPresence,
    LocatedFunction, SeenBy, SourceChange, UnfollowedFile, UnfollowedReach,
};
use crate::languages::{Language, follows_declarations, language_of, languages};
use crate::sample::{IndexedProfile, Sample};
use crate::sources::{FileSource, OutsideSources, SourceContent, file_name};
use crate::syntax::{LineRange, ParseCache, SyntaxFunction, is_called_unwritten};
use crate::text_search::holds_word;

/// The changes between functions, by the code that sees them.
pub(super) struct DeclarationRisks {
    /// The files of which something that changed is not followed.
    pub(super) unfollowed: Vec<UnfollowedFile>,
    /// Types of which the layout alone changed: code that has one does the same at other distances.
    pub(super) layouts: Vec<SourceChange>,
}

/// The risks of a version. Without a sample, any code may depend on what is not followed.
pub(super) fn declaration_risks(
    version: &VersionSources<'_>,
    changes: &ChangeSet,
    sample: Option<&Sample>,
    (outside, parser): (&OutsideSources, &ParseCache),
) -> DeclarationRisks {
    let unfollowed = |file: &str, why: String, reach: UnfollowedReach| UnfollowedFile {
        file: DegradedFile {
            file: file.to_owned(),
            why,
        },
        reach,
    };
    let executed = ExecutedFiles::new(version, sample, (outside, parser));
    let known = |declaration: &ChangedDeclaration| {
        (executed.as_ref()).filter(|_| !sample.is_some_and(|sample| may_be_of_a_tool(&declaration.file, sample)))
    };
    let is_layout = |declaration: &&ChangedDeclaration| declaration.is_layout_alone && known(declaration).is_some();
    let (layouts, others): (Vec<_>, Vec<_>) = changes.declarations.iter().partition(is_layout);
    let declared = others.into_iter().filter_map(|declaration| {
        let reach = match known(declaration) {
            Some(executed) => executed.reach_of(declaration)?,
            None => UnfollowedReach::Any(SeenBy::Program),
        };
        let place = format!("line {}", declaration.line);
        let what = match &*declaration.name {
            "" => format!("a declaration at {place}"),
            name => format!("{name} at {place}"),
        };
        let why = format!("what depends on {what} is not followed");
        Some(unfollowed(&declaration.file, why, reach))
    });
    let of_pairs = (changes.pairs.iter()).map(|pair| ((pair.before.as_ref(), pair.after.as_ref()), pair.regrouped));
    let of_same = (changes.same.iter()).map(|same| ((Some(&same.before), Some(&same.after)), false));
    let functions = of_pairs.chain(of_same).filter_map(|(sides, is_regrouped)| {
        let is_another = || executed.as_ref()?.may_mean_another(sides).filter(|_| !is_regrouped);
        let is_asked_about = || executed.as_ref()?.may_be_found_otherwise(sides);
        let is_chosen = || executed.as_ref()?.may_be_chosen_otherwise(sides);
        let found = (may_be_called_instead(sides, sample).or_else(is_another))
            .or_else(is_asked_about)
            .or_else(is_chosen);
        let found = found.map(|function| (function, UnfollowedReach::Any(SeenBy::Program)));
        let is_computed = || {
            executed
                .as_ref()?
                .may_be_computed_instead(sides)
                .filter(|_| !is_regrouped)
        };
        let (function, reach) = found.or_else(is_computed)?;
        let why = format!("{} may be called in place of another function", function.name);
        Some(unfollowed(&function.file, why, reach))
    });
    let prepared = changes.pairs.iter().filter_map(|pair| {
        let function = may_prepare_a_benchmark(pair, sample?)?;
        let why = format!(
            "{} may prepare what a benchmark measures in the same file",
            function.name
        );
        Some(unfollowed(&function.file, why, UnfollowedReach::Any(SeenBy::Program)))
    });
    let generating = changes.pairs.iter().filter_map(|pair| {
        let function = pair.after.as_ref().or(pair.before.as_ref())?;
        let why = format!("{} may be part of a program that the build runs", function.name);
        let is_risk = may_be_of_a_tool(&function.file, sample?);
        is_risk.then(|| unfollowed(&function.file, why, UnfollowedReach::Any(SeenBy::Program)))
    });
    let changed = changes
        .pairs
        .iter()
        .filter_map(|pair| pair.after.as_ref().or(pair.before.as_ref()));
    let changed: BTreeSet<&str> = changed.map(|function| &*function.file).collect();
    let renamed = changed.into_iter().filter_map(|file| {
        let why = "a profile may know its code by the name of another file".to_owned();
        let is_risk = may_be_profiled_as_another(file, version, sample?);
        is_risk.then(|| unfollowed(file, why, UnfollowedReach::Any(SeenBy::Program)))
    });
    DeclarationRisks {
        unfollowed: (declared.chain(functions).chain(prepared).chain(generating))
            .chain(renamed)
            .collect(),
        layouts: layouts.into_iter().map(changed_layout).collect(),
    }
}

fn changed_layout(of_type: &ChangedDeclaration) -> SourceChange {
    SourceChange {
        kind: ChangeKind::Type,
        subject: ChangeSubject::Item {
            name: of_type.name.as_str().into(),
            test_only: false,
            presence: ItemPresence::Kept,
            effect: ItemEffect::Layout,
        },
        file: Arc::clone(&of_type.file),
        line: of_type.line,
        callee: None,
        edits: Vec::new(),
    }
}

/// True for a source in a language that programs are linked with, of which no profile of a sample shows a function: it was
/// compiled without debug information, or not at all.
pub(super) fn is_unseen(path: &str, sample: &Sample) -> bool {
    language_of(path).is_some_and(|language| {
        language.support().is_linked_into_programs() && !sample.benchmarks.iter().any(|profile| profile.holds(language))
    })
}

/// The files of which a benchmark executes something, in both versions, read once for all declarations.
struct ExecutedFiles<'v> {
    version: &'v VersionSources<'v>,
    before: OnceCell<Vec<SourceContent>>,
    /// Other files that the build read, before.
    compiled: OnceCell<Vec<(Language, SourceContent)>>,
    after: OnceCell<Vec<SourceContent>>,
    paths: BTreeSet<String>,
    sample: &'v Sample,
    parser: &'v ParseCache,
    sources_outside: &'v OutsideSources,
    /// The code outside the repository that executes, in a language that includes the files of others.
    outside: OnceCell<OutsideCode<'v>>,
}

impl<'v> ExecutedFiles<'v> {
    fn new(
        version: &'v VersionSources<'v>,
        sample: Option<&'v Sample>,
        (sources_outside, parser): (&'v OutsideSources, &'v ParseCache),
    ) -> Option<Self> {
        let sample = sample?;
        let files = sample.benchmarks.iter().flat_map(IndexedProfile::files);
        Some(Self {
            version,
            before: OnceCell::new(),
            compiled: OnceCell::new(),
            after: OnceCell::new(),
            paths: files.map(str::to_owned).collect(),
            sample,
            parser,
            sources_outside,
            outside: OnceCell::new(),
        })
    }

    fn outside(&self) -> OutsideCode<'v> {
        *self.outside.get_or_init(|| {
            let profiles = self.sample.benchmarks.iter();
            profiles
                .map(|profile| OutsideCode::of(profile, self.sources_outside.as_deref()))
                .fold(OutsideCode::None, OutsideCode::and)
        })
    }

    /// The code that may depend on a declaration; `None` if it can have had no user when it came or went.
    fn reach_of(&self, declaration: &ChangedDeclaration) -> Option<UnfollowedReach> {
        let is_quiet = |language: Language| language.support().is_quiet_header(&declaration.name);
        if language_of(&declaration.file).is_some_and(is_quiet) && declaration.presence != ItemPresence::Kept {
            let directive = declaration.name.clone();
            return Some(UnfollowedReach::Header { directive });
        }
        if declaration.is_guard && !self.is_written_elsewhere(declaration) {
            return None;
        }
        // It runs before anything else, and what it leaves behind may be asked for anywhere.
        if declaration.has_effects {
            return Some(UnfollowedReach::Any(SeenBy::Program));
        }
        let is_free = declaration.is_definition && is_plain_name(&declaration.name);
        let is_plain = is_plain_name(&declaration.name);
        let is_seen_outside =
            || self.outside().may_write(&declaration.name) && !self.is_compiled_by_itself(&declaration.file);
        let is_seen_by_others =
            || !self.is_compiled_by_itself(&declaration.file) || declaration.is_value && !self.is_local(declaration);
        let seen_by = || match is_seen_by_others() {
            true => SeenBy::Program,
            false => SeenBy::File,
        };
        let by_name = |seen_by: SeenBy| UnfollowedReach::Name {
            name: declaration.name.clone(),
            presence: declaration.presence,
            seen_by,
        };
        let was_there = declaration.presence != ItemPresence::Added;
        let is_macro = declaration.is_used_by_name && !declaration.is_definition;
        if declaration.is_used_by_name && is_plain && (was_there || is_macro) && !is_seen_outside() {
            // Others may have something of a file that was made with a value that was there.
            return Some(by_name(if was_there { SeenBy::Program } else { seen_by() }));
        }
        match declaration.presence {
            ItemPresence::Added if is_free && !self.hold_before(&declaration.name) => {
                let is_asked_for = declaration.is_used_by_name && self.is_asked_for_unexecuted(&declaration.name);
                is_asked_for.then(|| by_name(seen_by()))
            }
            ItemPresence::Gone if is_free && !self.hold_after(&declaration.name) => None,
            ItemPresence::Added | ItemPresence::Gone | ItemPresence::Kept => Some(UnfollowedReach::Any(seen_by())),
        }
    }

    /// A function that came, went, took another name or joined other functions, where code of executed files writes its name: an
    /// overload, a method that hides another, or what is found by the type of an argument. A function that is small enough leaves
    /// no trace of its own in a profile.
    fn may_mean_another<'c>(&self, (old, new): FunctionSides<'c>) -> Option<&'c LocatedFunction> {
        if let (Some(old), Some(new)) = (old, new)
            && !is_renamed(old, new)
            && !self.joins_others(old, new)
        {
            return None;
        }
        let new = new.filter(|new| self.hold_before(new.function.name()));
        let old = || old.filter(|old| self.hold_after(old.function.name()));
        let function = new.or_else(old)?;
        (!follows_declarations(&function.file)).then_some(function)
    }

    /// A function with another signature, where code asks whether calls of it can be compiled: what they cannot is found to be
    /// missing, and something else is called.
    fn may_be_found_otherwise<'c>(&self, (old, new): FunctionSides<'c>) -> Option<&'c LocatedFunction> {
        let (old, new) = old.zip(new)?;
        let language = language_of(&new.file)?.support();
        let is_another = old.function.signature != new.function.signature && !language.follows_declarations();
        let asks = |content: &SourceContent| {
            holds_or_is_unread(content, |text| language.asks_if_compiled(text, old.function.name()))
        };
        let of_build = || self.read_by_the_build().iter().any(|(_, content)| asks(content));
        (is_another && (self.read_before().iter().any(asks) || of_build())).then_some(new)
    }

    /// One of several functions of a name in one place, where it takes parameters of other types, or takes them under another
    /// condition: code that writes the name may mean another one of them.
    fn may_be_chosen_otherwise<'c>(&self, (old, new): FunctionSides<'c>) -> Option<&'c LocatedFunction> {
        let (old, new) = old.zip(new)?;
        let types = |side: &'c LocatedFunction| side.function.parameters.iter().map(|parameter| &parameter.type_name);
        let takes_others = !types(old).eq(types(new)) || old.function.attributes != new.function.attributes;
        let is_among_others = || {
            let build = self.sample.inputs.units().flat_map(|unit| &unit.files);
            let paths: BTreeSet<&String> = self.paths.iter().chain(build).collect();
            let of_file = |path: &String| {
                let language = language_of(path).filter(|language| !language.support().follows_declarations());
                let blob = language.and_then(|_| self.version.before.file(path))?;
                let may_hold = holds_or_is_unread(&blob.content, |text| holds_word(text, old.function.name()));
                let source = may_hold.then(|| self.parser.get(path, &blob))?;
                Some(
                    source
                        .functions
                        .iter()
                        .filter(|function| function.path == old.function.path)
                        .count(),
                )
            };
            paths.into_iter().filter_map(of_file).sum::<usize>() > 1
        };
        let is_risk = takes_others
            && !follows_declarations(&new.file)
            && self.hold_before(old.function.name())
            && is_among_others();
        is_risk.then_some(new)
    }

    /// A function that compilers may call for the value of a constant, where code that no benchmark executes writes its name.
    fn may_be_computed_instead<'c>(
        &self,
        (old, new): FunctionSides<'c>,
    ) -> Option<(&'c LocatedFunction, UnfollowedReach)> {
        let new = new.filter(|new| new.function.is_precomputed && old.is_none_or(|old| is_renamed(old, new)))?;
        let name = new.function.name();
        let reach = UnfollowedReach::Name {
            name: name.to_owned(),
            presence: ItemPresence::Kept,
            seen_by: SeenBy::Program,
        };
        self.is_asked_for_unexecuted(name).then_some((new, reach))
    }

    /// True for a function that moved to a namespace or type which was there before, or out of one that is still there. One that
    /// merely has another name takes all its functions along.
    fn joins_others(&self, old: &LocatedFunction, new: &LocatedFunction) -> bool {
        let [from, to] = [old, new].map(|side| scope(&side.function));
        let was_there = || to.last().is_none_or(|name| self.hold_before(name));
        let is_still_there = || from.last().is_none_or(|name| self.hold_after(name));
        from != to && (was_there() || is_still_there())
    }

    /// True if another file writes the name, before or after.
    fn is_written_elsewhere(&self, declaration: &ChangedDeclaration) -> bool {
        let build = self.sample.inputs.units().flat_map(|unit| &unit.files);
        let mut others = (self.paths.iter().chain(build)).filter(|path| **path != *declaration.file);
        let writes = |tree: &dyn FileSource, path: &str| {
            let file = tree.file(path);
            file.is_some_and(|file| holds_or_is_unread(&file.content, |text| holds_word(text, &declaration.name)))
        };
        self.outside().may_write(&declaration.name)
            || others.any(|path| writes(self.version.before, path) || writes(self.version.after, path))
    }

    /// True for a variable of which a line says that only its own file sees it.
    fn is_local(&self, declaration: &ChangedDeclaration) -> bool {
        let side = match declaration.presence {
            ItemPresence::Gone => self.version.before,
            ItemPresence::Added | ItemPresence::Kept => self.version.after,
        };
        let (Some(bytes), Some(language)) = (side.bytes(&declaration.file), language_of(&declaration.file)) else {
            return false;
        };
        let line = bytes.split(|&byte| byte == b'\n').nth(declaration.line as usize - 1);
        let text = line.and_then(|line| std::str::from_utf8(line).ok());
        text.is_some_and(|text| language.support().is_local(text))
    }

    /// True for a source that is compiled by itself and that no executed or compiled file includes.
    fn is_compiled_by_itself(&self, path: &str) -> bool {
        let name = file_name(path);
        let of_build = self.read_by_the_build().iter().map(|(_, content)| content);
        let mut others = self.read_before().iter().chain(of_build);
        language_of(path).is_some_and(|language| language.support().is_translation_unit(path))
            && !others.any(|content| names_in_directive(content, name))
    }

    /// Of the files that the build read, those that programs are linked with and of which no benchmark executes anything.
    fn read_by_the_build(&self) -> &[(Language, SourceContent)] {
        self.compiled.get_or_init(|| {
            let files = self
                .sample
                .inputs
                .units()
                .flat_map(|unit| &unit.files)
                .map(String::as_str);
            let others: BTreeSet<&str> = files.filter(|path| !self.paths.contains(*path)).collect();
            let read = |path: &str| {
                let language = language_of(path).filter(|language| language.support().is_linked_into_programs())?;
                Some((language, self.version.before.file(path)?.content))
            };
            // The build read what a symbolic link leads to by its own name.
            let is_text = |(_, content): &(Language, SourceContent)| !matches!(content, SourceContent::SymbolicLink(_));
            others.into_iter().filter_map(read).filter(is_text).collect()
        })
    }

    /// True if code that the build read and that no benchmark executes asks for a name, before: a constant may do so, of which
    /// executed code has the value.
    fn is_asked_for_unexecuted(&self, name: &str) -> bool {
        let asks = |language: Language, text: &[u8]| {
            holds_word(text, name) && !language.support().lines_asking_for(text, name).is_empty()
        };
        let mut others = self.read_by_the_build().iter();
        others.any(|(language, content)| holds_or_is_unread(content, |text| asks(*language, text)))
    }

    /// True if one of the files before holds a word, or cannot be searched for it.
    fn hold_before(&self, word: &str) -> bool {
        holds(self.read_before(), word)
    }

    fn read_before(&self) -> &[SourceContent] {
        self.before.get_or_init(|| self.read(self.version.before))
    }

    /// The same after.
    fn hold_after(&self, word: &str) -> bool {
        holds(self.after.get_or_init(|| self.read(self.version.after)), word)
    }

    fn read(&self, tree: &dyn FileSource) -> Vec<SourceContent> {
        self.paths
            .iter()
            .filter_map(|path| tree.file(path))
            .map(|blob| blob.content)
            .collect()
    }
}

/// Code outside the repository in a language that programs are linked with, by what is known of the names that it writes.
#[derive(Debug, Clone, Copy)]
enum OutsideCode<'v> {
    /// There is none but that of the compiler and the system, which knows no name of a project.
    None,
    /// That of harnesses.
    Known(&'v [SourceContent]),
    /// Nobody here sees which names it writes.
    Unknown,
}

/// A function before and after the change; `None` on a side that does not have it.
type FunctionSides<'c> = (Option<&'c LocatedFunction>, Option<&'c LocatedFunction>);

/// The folder by which profiles name the copies of harnesses.
const OF_HARNESSES: &str = "harness/";

impl<'v> OutsideCode<'v> {
    /// That of which a benchmark executes something. `harnesses` are the texts of all harnesses, if they are known.
    fn of(profile: &IndexedProfile, harnesses: Option<&'v [SourceContent]>) -> Self {
        let of_profile = profile.profile();
        let is_linked =
            |file: &&str| language_of(file).is_some_and(|language| language.support().is_linked_into_programs());
        let external = of_profile.functions.iter().filter(|function| function.external);
        let files = external.filter_map(|function| Some(of_profile.file(function.file?)));
        let is_of_the_system =
            |file: &str| language_of(file).is_some_and(|language| language.support().is_of_the_system(file));
        let of_file = |file: &str| match harnesses {
            _ if is_of_the_system(file) => Self::None,
            Some(harnesses) if file.starts_with(OF_HARNESSES) => Self::Known(harnesses),
            Some(_) | None => Self::Unknown,
        };
        files.filter(is_linked).map(of_file).fold(Self::None, Self::and)
    }

    /// Both together.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Known(sources), _) | (_, Self::Known(sources)) => Self::Known(sources),
            (Self::None, Self::None) => Self::None,
        }
    }

    fn may_write(self, name: &str) -> bool {
        match self {
            Self::None => false,
            // A macro that puts words together writes names that stand nowhere.
            Self::Known(sources) => {
                let pastes =
                    |text: &[u8]| languages().any(|language| language.support().may_be_pasted(text, name, &|_| true));
                holds(sources, name) || sources.iter().any(|text| holds_or_is_unread(text, pastes))
            }
            Self::Unknown => true,
        }
    }
}

fn holds(files: &[SourceContent], word: &str) -> bool {
    files
        .iter()
        .any(|content| holds_or_is_unread(content, |text| holds_word(text, word)))
}

/// True if a directive of the preprocessor may put a file in: comments name it too.
fn names_in_directive(content: &SourceContent, file: &str) -> bool {
    holds_or_is_unread(content, |text| {
        let mut lines = text.split(|&byte| byte == b'\n');
        lines.any(|line| line.trim_ascii_start().starts_with(b"#") && holds_word(line, file))
    })
}

/// Whether something holds of a text; true for what cannot be read.
fn holds_or_is_unread(content: &SourceContent, holds: impl Fn(&[u8]) -> bool) -> bool {
    content.bytes().is_none_or(|bytes| holds(bytes))
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter == '_' || letter.is_alphanumeric())
}

/// A function that no benchmark executes while it is measured, in the file in which what is measured begins: it may decide
/// what with. What is measured of a whole process begins outside the repository, and so does what a harness outside it starts.
fn may_prepare_a_benchmark<'c>(pair: &'c FunctionPair, sample: &Sample) -> Option<&'c LocatedFunction> {
    let before = pair.before.as_ref()?;
    if follows_declarations(&before.file) {
        return None;
    }
    let LineRange { first, last } = before.function.lines;
    let is_prepared = |profile: &IndexedProfile| {
        let of_profile = profile.profile();
        let outermost = of_profile.functions.iter().max_by_key(|f| (f.inclusive, !f.external));
        let begins_in = outermost
            .and_then(|function| function.file)
            .map(|file| of_profile.file(file));
        begins_in == Some(&*before.file) && profile.declared(&before.file, first, last).next().is_none()
    };
    sample.benchmarks.iter().any(is_prepared).then_some(before)
}

/// True for a source of which no benchmark executes anything, where the build runs programs that it built itself: it may decide
/// what they write.
fn may_be_of_a_tool(file: &str, sample: &Sample) -> bool {
    let runs_tools = sample.inputs.units().any(|unit| unit.kind == UnitKind::Tool);
    let is_executed = || (sample.benchmarks.iter()).any(|profile| profile.files().any(|known| known == file));
    let is_compiled = || language_of(file).is_some_and(|language| language.support().is_linked_into_programs());
    runs_tools && is_compiled() && !is_executed()
}

/// True for a source that says of its lines that they stand in another file, unless the build is known not to read it.
fn may_be_profiled_as_another(file: &str, version: &VersionSources<'_>, sample: &Sample) -> bool {
    let is_named_otherwise = |tree: &dyn FileSource| {
        let language = language_of(file).map(|language| language.support());
        language
            .zip(tree.bytes(file))
            .is_some_and(|(language, source)| language.names_another_file(&source))
    };
    let is_recorded = || sample.inputs.units().any(|unit| unit.files.contains(file));
    (is_named_otherwise(version.before) || is_named_otherwise(version.after))
        && (sample.inputs.is_empty() || is_recorded())
}

/// The new function of a pair that calls in other code may mean from now on: there is an executed one of its name, or code
/// calls it without naming it. The same for one whose parameters changed.
fn may_be_called_instead<'c>(
    (before, after): FunctionSides<'c>,
    sample: Option<&Sample>,
) -> Option<&'c LocatedFunction> {
    let after = after?;
    if follows_declarations(&after.file) {
        return None;
    }
    let name = after.function.name();
    let has_new_name = before.is_none_or(|before| is_renamed(before, after));
    let least = match before {
        _ if has_new_name => 1,
        Some(before) if before.function.signature != after.function.signature => 2,
        Some(_) | None => return None,
    };
    let named = |sample: &Sample| {
        let counts = sample
            .benchmarks
            .iter()
            .map(|profile| profile.functions_named(name).len());
        counts.max().unwrap_or(0)
    };
    let is_unwritten = is_called_unwritten(name) || is_constructor(after);
    let is_risk = has_new_name && is_unwritten || sample.is_none_or(|sample| named(sample) >= least);
    is_risk.then_some(after)
}

/// True for a function with another name than before; a constructor is called as its type is.
fn is_renamed(before: &LocatedFunction, after: &LocatedFunction) -> bool {
    before.function.name() != after.function.name() && !(is_constructor(before) && is_constructor(after))
}

/// The namespaces and types around a function.
fn scope(function: &SyntaxFunction) -> &[String] {
    function.path.split_last().map_or(&[], |(_, around)| around)
}

fn is_constructor(function: &LocatedFunction) -> bool {
    function.function.owner.as_deref() == Some(function.function.name())
}
