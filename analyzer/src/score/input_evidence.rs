//! A changed file and the recorded inputs of a sample → which benchmarks depend on the file, or that none does.
//!
//! Absence from a record proves something only while nothing can have pulled the file in since the sample: the settings
//! of the build, its scripts and its procedural macros are as they were, and no changed source mentions the file's name in
//! another way than before.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::ProfileFunction;
use profile::inputs::{CompilationUnit, InputRecord, UnitKind};

use super::VersionSources;
use super::executed_tests::executes_changed_test;
use super::later_inclusions::LaterInclusions;
use super::later_runs::LaterRuns;
use super::later_scripts::{LaterScripts, ScriptTexts};
use super::later_source::LaterSource;
use super::loaded_code::{LoadedCode, LoadedSources};
use super::unfollowed::is_unseen;
use crate::build_scripts::{BuildScript, is_another_script, is_of_build_tool};
use crate::change::{FileKind, InputDependents, SourceChange, TellingNames, data_change, file_kind, is_document};
use crate::languages::{Language, language_of, languages, settings_that_pull_in};
use crate::sample::{IndexedProfile, Sample};
use crate::sources::{Blob, FileChange, FileSource, OutsideSources, file_name};
use crate::text_search::holds_word;

/// Words of a program that may read files, or have them compiled in, which it does not name.
pub(super) const READS_FOLDERS: [&str; 7] = [
    "read_dir",
    "WalkDir",
    "walkdir",
    "glob",
    "globwalk",
    "include_dir",
    "RustEmbed",
];

/// Names of files and folders that say nothing of which module they hold.
const COMMON_NAMES: [&str; 5] = ["src", "mod", "lib", "main", "crates"];

/// The evidence of the records for a changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InputStanding {
    /// Nothing: its name decides.
    Unknown,
    /// No benchmark depends on it.
    NoInput,
    /// These depend on it.
    Input(InputDependents),
}

/// The changed files of a version as the records divide them.
#[derive(Debug, Default)]
pub(super) struct ChangedInputs {
    /// Files to compare as their names say.
    pub(super) compared: Vec<FileChange>,
    /// Changes of files that are read as a whole.
    pub(super) read: Vec<SourceChange>,
    /// Files that no benchmark depends on.
    pub(super) unused: Vec<Arc<str>>,
    /// Files of which nobody can say whether the command that builds reads them by now.
    pub(super) beyond_commands: Vec<Arc<str>>,
}

/// The recorded files that are not as they were at the sample.
struct ChangedSince {
    sources: Vec<LaterSource>,
    /// By preprocessors.
    inclusions: LaterInclusions,
    /// Of commands, which read what they like; none if no script changed.
    scripts: LaterScripts,
}

/// The records of a sample, held against one version.
pub(super) struct InputEvidence<'a> {
    version: &'a VersionSources<'a>,
    sample: &'a Sample,
    compiled_is_complete: bool,
    opened_is_complete: bool,
    /// True if everything is built by commands of which all is known that they read.
    are_of_commands: bool,
    /// The files that may pull something in; `None` if any may.
    changed_since: OnceCell<Option<ChangedSince>>,
    has_other_settings: OnceCell<bool>,
    /// The folders of the packages that benchmarks are compiled from, and of those that they can lead to.
    packages: OnceCell<BTreeSet<String>>,
    scripts: OnceCell<Vec<Arc<[u8]>>>,
    /// The folders that hold files which this version leaves there; `None` if they are not known.
    kept_folders: OnceCell<Option<BTreeSet<Arc<str>>>>,
    later_runs: OnceCell<LaterRuns<'a>>,
    loaded_code: LoadedCode<'a>,
}

impl<'a> InputEvidence<'a> {
    /// The records of a sample; `None` if it has none.
    pub(super) fn new(
        version: &'a VersionSources<'a>,
        sample: &'a Sample,
        outside: &'a OutsideSources,
    ) -> Option<Self> {
        if sample.inputs.is_empty() {
            return None;
        }
        Some(Self {
            version,
            sample,
            compiled_is_complete: sample.all_inputs(|record| record.compiled.is_complete),
            opened_is_complete: sample.all_inputs(|record| record.opened.is_complete),
            are_of_commands: sample.all_inputs(|record| record.compiled.are_of_a_command()),
            changed_since: OnceCell::new(),
            has_other_settings: OnceCell::new(),
            packages: OnceCell::new(),
            scripts: OnceCell::new(),
            kept_folders: OnceCell::new(),
            later_runs: OnceCell::new(),
            loaded_code: LoadedCode::new(version, sample, outside),
        })
    }

    /// Divides the changed files.
    pub(super) fn divide(&self) -> ChangedInputs {
        let mut divided = ChangedInputs::default();
        for file in self.version.files {
            let kind = match is_unseen(&file.path, self.sample) {
                true => FileKind::Other,
                false => file_kind(file),
            };
            let standing = self.standing(file);
            if standing == InputStanding::Unknown && self.are_of_commands {
                divided.beyond_commands.push(Arc::clone(&file.path));
            }
            match (standing, kind) {
                (InputStanding::Unknown, _) | (_, FileKind::Unreadable) => divided.compared.push(file.clone()),
                // Cargo reads settings that no record lists.
                (InputStanding::NoInput, FileKind::Setting) if !self.are_of_commands => {
                    divided.compared.push(file.clone());
                }
                (InputStanding::NoInput, FileKind::Source | FileKind::Setting | FileKind::Other) => {
                    divided.unused.push(Arc::clone(&file.path));
                }
                // Another file takes its place, or it takes that of another one.
                (InputStanding::Input(dependents), _) if self.comes_or_goes_for_a_command(file) => {
                    divided.read.push(data_change(file, Some(dependents)));
                }
                (InputStanding::Input(dependents), FileKind::Source | FileKind::Setting) => {
                    divided.compared.push(file.clone());
                    // Its compiled parts are compared, unless it is put in as it is.
                    let mut whole = dependents;
                    if !self.sample.embeds(&file.path) {
                        whole.compiled_into.clear();
                    }
                    for benchmark in std::mem::take(&mut whole.read_by) {
                        if self.is_same_to_a_run(file, &benchmark) {
                            continue;
                        }
                        match self.told_by(file, &benchmark) {
                            Some(names) if names.is_empty() => continue,
                            Some(names) => whole.told_by.insert(benchmark.clone(), names),
                            None => None,
                        };
                        whole.read_by.insert(benchmark);
                    }
                    if whole.is_input() {
                        divided.read.push(data_change(file, Some(whole)));
                    }
                }
                (InputStanding::Input(dependents), FileKind::Other)
                    if dependents.read_by.is_empty() && self.is_same_script(&file.path) => {}
                (InputStanding::Input(dependents), FileKind::Other) => {
                    divided.read.push(data_change(file, Some(dependents)));
                }
            }
        }
        divided
    }

    /// True for a script of a build tool that decides nothing else than before. What a compiler puts into a program is no script.
    fn is_same_script(&self, path: &str) -> bool {
        let mut units = self.sample.inputs.units().filter(|unit| unit.depends_on(path));
        is_of_build_tool(path)
            && units.all(|unit| unit.kind.is_of_a_command())
            && !is_another_script(path, self.version.before, self.version.after)
    }

    /// True for a file that one side does not have and that a command read or looked for.
    fn comes_or_goes_for_a_command(&self, file: &FileChange) -> bool {
        let mut commands = (self.sample.inputs.units()).filter(|unit| unit.kind.is_of_a_command());
        (file.before.is_none() || file.after.is_none()) && commands.any(|unit| unit.depends_on(&file.path))
    }

    /// The names by which a benchmark can tell that a source which it loads and executes is another one; none if only bodies of
    /// functions differ, which are compared. `None` if it may tell it in any way.
    fn told_by(&self, file: &FileChange, benchmark: &str) -> Option<TellingNames> {
        let of_benchmark = || {
            let profiles = self.sample.benchmarks.iter();
            profiles.filter(|profile| profile.profile().benchmark == benchmark)
        };
        if !of_benchmark().any(|profile| profile.declared(&file.path, 0, u32::MAX).next().is_some()) {
            return None;
        }
        if executes_changed_test(file, self.sample, benchmark) {
            return None;
        }
        let language = language_of(&file.path)?;
        if self.loaded_code.is_loaded_alike(file) {
            return Some(TellingNames::default());
        }
        // Where loading counts, as in a whole process, the benchmark itself can tell.
        let mut functions = of_benchmark().flat_map(|profile| &profile.profile().functions);
        if !functions.any(ProfileFunction::is_of_set_up) {
            return None;
        }
        self.loaded_code
            .told_by(file, &self.loaded_sources(benchmark, language)?)
    }

    /// True for a file of settings that says the same as before to those who read it while a benchmark runs: no code of the project
    /// reads it.
    fn is_same_to_a_run(&self, file: &FileChange, benchmark: &str) -> bool {
        let (Some(before), Some(after)) = (&file.before, &file.after) else {
            return false;
        };
        let text = |side: &Blob| Some(String::from_utf8_lossy(side.content.bytes()?).into_owned());
        let (Some(before), Some(after)) = (text(before), text(after)) else {
            return false;
        };
        let name = file_name(&file.path).split('.').next().unwrap_or_default();
        languages().any(|language| {
            let of = |text: &str| language.support().settings_of_runs(&file.path, text);
            of(&before).is_some_and(|before| of(&after) == Some(before))
                && self
                    .loaded_sources(benchmark, language)
                    .is_some_and(|loaded| self.loaded_code.writes_no_file(name, language, &loaded))
        })
    }

    /// True if a benchmark that lists a folder looks there for modules alone, and not for this entry.
    fn takes_no_module(&self, entry: &str, benchmark: &str) -> bool {
        languages()
            .filter(|language| language.support().is_loaded_by_programs())
            .any(|language| {
                let loaded = self.loaded_sources(benchmark, language);
                let loaded = loaded.filter(|loaded| !loaded.paths.is_empty());
                loaded.is_some_and(|loaded| self.loaded_code.takes_no_module(entry, language, &loaded))
            })
    }

    /// The sources of a language that a benchmark loads; `None` if they are not all known.
    fn loaded_sources(&self, benchmark: &str, language: Language) -> Option<LoadedSources<'_>> {
        let mut records = self.sample.inputs.records();
        let (_, record) = records.find(|(name, _)| *name == benchmark)?;
        let profiles = self.sample.benchmarks.iter();
        let of_benchmark = profiles.filter(|profile| profile.profile().benchmark == benchmark);
        let executed = of_benchmark.flat_map(IndexedProfile::files);
        let since = self.later_runs().loaded_since()?.iter().map(|path| &**path);
        let all = (record.opened.files.iter().map(String::as_str))
            .chain(executed)
            .chain(since);
        let of_language = all.filter(|path| language_of(path) == Some(language));
        // Other data may hold other names. Sources are compared.
        let opened = record.opened.files.iter().map(String::as_str);
        let mut data = opened.filter(|path| language_of(path) != Some(language));
        let is_as_sampled = |path: &&str| {
            let trees = [self.version.before, self.version.after];
            trees.iter().all(|tree| tree.id(path) == self.sample.tree.id(path))
        };
        record.opened.is_complete.then(|| LoadedSources {
            paths: of_language.collect(),
            asked_names: (record.asked_names.as_ref()).filter(|_| data.all(|path| is_as_sampled(&path))),
        })
    }

    /// True for a folder that is there without the files that this version adds or removes, so that a list of the folder around
    /// it is the same.
    fn stays(&self, folder: &str) -> bool {
        let kept = self.kept_folders.get_or_init(|| {
            let files = self.version.before.all_files()?;
            let removed: BTreeSet<&str> = (self.version.files.iter())
                .filter(|file| file.after.is_none())
                .map(|file| &*file.path)
                .collect();
            let mut folders = BTreeSet::new();
            for file in files.iter().filter(|file| !removed.contains(&*file.path)) {
                let mut at = &*file.path;
                while let Some((folder, _)) = at.rsplit_once('/') {
                    if !folders.insert(Arc::from(folder)) {
                        break;
                    }
                    at = folder;
                }
            }
            Some(folders)
        });
        kept.as_ref().is_some_and(|folders| folders.contains(folder))
    }

    /// The evidence of the records for a changed file.
    pub(super) fn standing(&self, file: &FileChange) -> InputStanding {
        let path = &*file.path;
        let mut dependents = InputDependents::default();
        let came_or_went = file.before.is_none() || file.after.is_none();
        // A file that comes with this version is new code of what leads to it.
        let leading = match file.before {
            Some(_) => self.later_runs().leading_to(path),
            None => BTreeSet::new(),
        };
        for (benchmark, record) in self.sample.inputs.records() {
            let opened = &record.opened;
            let is_noticed = || {
                let entry = opened.listed_entry(path, |folder| self.stays(folder));
                entry.is_some_and(|entry| !self.takes_no_module(entry, benchmark))
            };
            let is_led = || leading.iter().any(|leading| reads_or_compiles(record, leading));
            if opened.reads(path) || (came_or_went && is_noticed()) || is_led() {
                dependents.read_by.insert(benchmark.to_owned());
            } else if !opened.is_complete {
                dependents.unsettled.insert(benchmark.to_owned());
            }
            // A build tool looks whether there is a document, and has no use for its text.
            let is_use = |unit: &&CompilationUnit| unit.kind != UnitKind::LookedAt || !is_document(path);
            for unit in record.compiled.units_with(path).filter(is_use) {
                dependents.compiled_into.insert(unit.package.clone());
            }
        }
        if dependents.is_input() {
            return InputStanding::Input(dependents);
        }
        // Nobody reads code at run time unless a record says so; other files may be read by what a record does not see. A command
        // may build, or interpret, when it is run.
        let is_settled = match self.recorded_kind(file) {
            FileKind::Source if !self.are_of_commands => self.compiled_is_complete,
            FileKind::Source => self.compiled_is_complete && self.opened_is_complete,
            FileKind::Setting | FileKind::Other | FileKind::Unreadable => {
                self.compiled_is_complete && self.opened_is_complete
            }
        };
        let was_there = || self.sample.tree.id(path).is_some();
        let is_reachable = || match self.is_in_another_package(path) {
            // Settings lead to packages, and none leads to this one.
            true => self.is_mentioned_anew(path, &[file_name(path)]),
            // A file that came may have taken the place of another. Where a command looked for one is known.
            false => !was_there() && !self.are_of_commands || self.may_be_pulled_in(path, &names_of(file)),
        };
        if is_settled && !is_reachable() && !self.may_be_read_by_a_script(file) {
            return InputStanding::NoInput;
        }
        InputStanding::Unknown
    }

    /// The files that runs read, as they are before this version.
    fn later_runs(&self) -> &LaterRuns<'a> {
        self.later_runs.get_or_init(|| {
            let records = self.sample.inputs.records();
            let opened = records.flat_map(|(_, record)| &record.opened.files);
            let of_commands = self.sample.inputs.units().filter(|unit| unit.kind.is_of_a_command());
            let compiled = of_commands
                .flat_map(|unit| &unit.files)
                .filter(|path| is_compiled(path));
            let read = opened.chain(compiled).map(String::as_str).collect();
            LaterRuns::new(read, (self.sample.tree.as_ref(), self.version.before))
        })
    }

    /// The kind of a changed file as far as the records go: those of cargo do not list the sources in other languages that a
    /// program is linked with.
    fn recorded_kind(&self, file: &FileChange) -> FileKind {
        match language_of(&file.path) {
            Some(language) if language.support().is_linked_into_programs() && !self.are_of_commands => FileKind::Other,
            _ => file_kind(file),
        }
    }

    /// True if something that changed since the sample may make an input of a file with one of these names.
    fn may_be_pulled_in(&self, path: &str, names: &[&str]) -> bool {
        self.has_other_settings() || self.is_mentioned_anew(path, names)
    }

    /// True if a source or a script that changed since the sample may pull in a file with one of these names.
    fn is_mentioned_anew(&self, path: &str, names: &[&str]) -> bool {
        let Some(changed) = self.changed_since.get_or_init(|| self.changed_since()) else {
            return true;
        };
        let may_pull_in = |source: &LaterSource| names.iter().any(|name| source.may_pull_in(name));
        changed.sources.iter().any(may_pull_in)
            || changed.inclusions.may_include(path)
            || changed.scripts.may_lead_to(path)
    }

    /// True for a source of a package that no benchmark was compiled from, and that none can lead to.
    fn is_in_another_package(&self, path: &str) -> bool {
        let Some(language) = language_of(path) else {
            return false;
        };
        let support = language.support();
        let packages = self.packages.get_or_init(|| {
            let trees = [self.sample.tree.as_ref(), self.version.before, self.version.after];
            let within_reach = |tree: &dyn FileSource| self.sample.packages_within_reach(language, tree);
            let found = trees.map(within_reach);
            found.iter().flat_map(|folders| folders.iter().cloned()).collect()
        });
        let is_another = |tree: &dyn FileSource| {
            let folder = support.package_folder(path, tree);
            folder.is_some_and(|folder| !packages.contains(folder)) || tree.id(path).is_none()
        };
        !packages.is_empty() && is_another(self.version.before) && is_another(self.version.after)
    }

    /// True if a build script may read a file without saying so.
    fn may_be_read_by_a_script(&self, file: &FileChange) -> bool {
        let scripts = self.scripts.get_or_init(|| {
            let of_scripts = self
                .sample
                .inputs
                .units()
                .filter(|unit| unit.kind == UnitKind::BuildScript);
            let files: BTreeSet<&String> = of_scripts.flat_map(|unit| &unit.files).collect();
            files
                .into_iter()
                .filter_map(|path| self.sample.tree.bytes(path))
                .collect()
        });
        let mut names = names_of(file);
        names.extend(READS_FOLDERS);
        if self.recorded_kind(file) != FileKind::Source
            && let Some((_, end)) = file.path.rsplit_once('.')
        {
            names.push(end);
        }
        scripts
            .iter()
            .any(|text| names.iter().any(|name| holds_word(text, name)))
    }

    /// True if a build file lets other files of the repository into the build than at the sample.
    fn has_other_settings(&self) -> bool {
        let (then, now) = (self.sample.tree.as_ref(), self.version.after);
        *self.has_other_settings.get_or_init(|| {
            let records = self.sample.inputs.records();
            let settings: BTreeSet<&String> = records.flat_map(|(_, record)| &record.compiled.settings).collect();
            settings
                .into_iter()
                .any(|path| then.id(path) != now.id(path) && is_another_setting(path, then, now))
        })
    }

    /// Compiled files that are not as they were at the sample, what they declare beside the recorded files, and the scripts
    /// of commands. `None` if compiled code that runs in the build is among them.
    fn changed_since(&self) -> Option<ChangedSince> {
        let (then, now) = (self.sample.tree.as_ref(), self.version.after);
        let is_changed = |path: &str| then.id(path) != now.id(path);
        let mut compiled = BTreeMap::new();
        let mut preprocessed = BTreeSet::new();
        let mut of_commands = BTreeSet::new();
        for unit in self.sample.inputs.units() {
            for path in &unit.files {
                let runs_in_the_build = match unit.kind {
                    UnitKind::BuildScript | UnitKind::ProceduralMacro | UnitKind::Tool => true,
                    UnitKind::Library | UnitKind::Program => false,
                    UnitKind::Command | UnitKind::LookedAt if is_compiled(path) => {
                        preprocessed.insert(path.as_str());
                        continue;
                    }
                    UnitKind::Command => {
                        of_commands.insert(path.as_str());
                        continue;
                    }
                    // Nobody read it.
                    UnitKind::LookedAt => continue,
                };
                *compiled.entry(path.as_str()).or_insert(false) |= runs_in_the_build;
            }
        }
        let mut scripts = LaterScripts::default();
        let has_other_scripts = of_commands.iter().any(|path| is_another_script(path, then, now));
        if has_other_scripts {
            let present = of_commands.into_iter().filter(|path| now.id(path).is_some());
            scripts = LaterScripts::new(&texts_with_subdirectories(present, (then, now))?);
        }
        let mut inclusions = LaterInclusions::default();
        if has_other_scripts || preprocessed.iter().any(|path| is_changed(path)) {
            inclusions = LaterInclusions::new(preprocessed.into_iter(), (then, now), has_other_scripts)?;
        }
        let mut open: Vec<String> = Vec::new();
        for (path, runs_in_the_build) in &compiled {
            if is_changed(path) {
                if *runs_in_the_build {
                    return None;
                }
                open.push((*path).to_owned());
            }
        }
        // What a changed file declares may be new to the build, and declares files itself.
        let mut seen: BTreeSet<String> = open.iter().cloned().collect();
        let mut found = Vec::new();
        while let Some(path) = open.pop() {
            let Some(text) = now.bytes(&path) else {
                // Gone, or nothing that can be searched.
                if now.id(&path).is_some() {
                    return None;
                }
                continue;
            };
            for declared in crate::languages::declared_files(&path, &text) {
                if !compiled.contains_key(declared.as_str())
                    && now.id(&declared).is_some()
                    && seen.insert(declared.clone())
                {
                    open.push(declared);
                }
            }
            found.push(LaterSource {
                then: then.bytes(&path).filter(|_| compiled.contains_key(path.as_str())),
                language: language_of(&path),
                now: text,
            });
        }
        Some(ChangedSince {
            sources: found,
            inclusions,
            scripts,
        })
    }
}

fn reads_or_compiles(record: &InputRecord, path: &str) -> bool {
    record.opened.files.contains(path) || record.compiled.units_with(path).next().is_some()
}

/// The texts of scripts, and of those in folders that they name; `None` if one cannot be read.
fn texts_with_subdirectories<'p>(
    scripts: impl Iterator<Item = &'p str>,
    (then, now): (&dyn FileSource, &dyn FileSource),
) -> Option<Vec<ScriptTexts>> {
    let mut waiting: Vec<String> = scripts.map(str::to_owned).collect();
    let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
    let mut texts = Vec::new();
    while let Some(path) = waiting.pop() {
        let text = now.bytes(&path)?;
        for script in BuildScript::read(&path, &text).scripts_below(&path) {
            if now.id(&script).is_some() && seen.insert(script.clone()) {
                waiting.push(script);
            }
        }
        texts.push(ScriptTexts {
            then: then.bytes(&path),
            now: text,
            path,
        });
    }
    Some(texts)
}

/// True for a source that a command can only have compiled, so that it decides nothing but its own code.
fn is_compiled(path: &str) -> bool {
    language_of(path).is_some_and(|language| language.support().is_linked_into_programs())
}

/// The words by which a file can be pulled into a build: its name and those of its folders.
fn names_of(file: &FileChange) -> Vec<&str> {
    let path = &*file.path;
    let name = file_name(path);
    let mut names: Vec<&str> = path.split('/').collect();
    if file_kind(file) == FileKind::Source {
        names.push(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    }
    names.retain(|name| !COMMON_NAMES.contains(name));
    names
}

/// True if a file of settings may pull other files of the repository into a build. A lock file pulls none in.
fn is_another_setting(path: &str, then: &dyn FileSource, now: &dyn FileSource) -> bool {
    if path.ends_with(".lock") {
        return false;
    }
    let text = |tree: &dyn FileSource| tree.bytes(path).map(|text| String::from_utf8_lossy(&text).into_owned());
    let (Some(then), Some(now)) = (text(then), text(now)) else {
        return true;
    };
    match (settings_that_pull_in(path, &then), settings_that_pull_in(path, &now)) {
        (Some(then), Some(now)) => then != now,
        _ => then != now,
    }
}
