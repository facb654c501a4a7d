//! The items of all sources and the executed statements → changes of items that reach executed code, and their texts.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::edit::{SeedEdit, apply};
use super::execution_frequency::SeedInsertionPoint;
use super::item_sites::{ItemSite, SiteReach};
use super::model::{SeedHotness, SeededChange};
use super::planted_code::{PlantedCode, SnippetReturnKind};
use super::planted_kind::PlantedKind;
use super::snippet::SnippetGenerator;
use super::uses::NameUses;
use super::{SeedContext, candidates};

/// A larger file that is compiled in is left alone.
const LARGEST_DATA: usize = 1 << 20;

/// A change of an item that could be planted.
#[derive(Debug, Clone)]
pub(super) struct ItemCandidate {
    pub(super) kind: PlantedKind,
    pub(super) place: SeedHotness,
    /// The source.
    pub(super) file: usize,
    pub(super) what: ItemCandidateEdit,
}

/// The part of a source that the change edits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ItemCandidateEdit {
    /// The item with this number.
    Site(usize),
    /// A file that the source includes: its path from the repository's root, and its name in the source.
    Data(String, String),
    /// A number in a benchmark: function, statement, number.
    Number(usize, usize, usize),
}

/// A statement that some benchmark executes.
struct ExecutedStatement<'a> {
    file: usize,
    owner: Option<&'a str>,
    place: SeedHotness,
    uses: &'a NameUses,
}

/// Every change of an item that reaches executed code.
pub(super) fn item_candidates(ground: &SeedContext<'_>) -> Vec<ItemCandidate> {
    let executed = executed(ground);
    let all = || ground.files.iter().map(|file| &file.survey.items);
    let without_drop: BTreeSet<&str> = all()
        .flat_map(|items| &items.without_drop)
        .map(String::as_str)
        .collect();
    let lengths: BTreeSet<&str> = all().flat_map(|items| &items.lengths).map(String::as_str).collect();
    let in_constants: BTreeSet<&str> = all()
        .flat_map(|items| &items.in_constants)
        .map(String::as_str)
        .collect();
    let mut found = Vec::new();
    for (index, file) in ground.files.iter().enumerate() {
        for (number, site) in file.survey.items.sites.iter().enumerate() {
            let name = site.path.last().map_or("", String::as_str);
            let is_possible = match site.kind {
                PlantedKind::DropAddition => !without_drop.contains(name),
                PlantedKind::MacroBody => !in_constants.contains(name),
                PlantedKind::MethodShadowing => !all().any(|items| is_taken(items, &site.path)),
                PlantedKind::ConstantValue
                | PlantedKind::ArrayLength
                | PlantedKind::ConstFunction
                | PlantedKind::DefaultValue
                | PlantedKind::DeriveByHand
                | PlantedKind::DerefImplementation
                | PlantedKind::OperatorImplementation
                | PlantedKind::NameMeaning
                | PlantedKind::Discriminant
                | PlantedKind::DataFile
                | PlantedKind::BenchmarkInput
                | PlantedKind::CallAddition
                | PlantedKind::CallSwap
                | PlantedKind::CallDeletion
                | PlantedKind::CompleteChange
                | PlantedKind::LoopAddition
                | PlantedKind::FieldValue
                | PlantedKind::ConditionalAddition
                | PlantedKind::ConditionExpression
                | PlantedKind::CallScope
                | PlantedKind::Parameter => true,
            };
            let kind = if file.is_benchmark {
                PlantedKind::BenchmarkInput
            } else if site.kind == PlantedKind::ConstantValue && lengths.contains(name) {
                PlantedKind::ArrayLength
            } else {
                site.kind
            };
            // Of a benchmark only its numbers are changed: its other code is no part of what it measures.
            let is_wanted = !file.is_benchmark || site.kind == PlantedKind::ConstantValue;
            if is_possible
                && is_wanted
                && let Some(place) = place(ground, (index, site), &executed)
            {
                found.push(ItemCandidate {
                    kind,
                    place,
                    file: index,
                    what: ItemCandidateEdit::Site(number),
                });
            }
        }
        found.extend(data_files(ground, index, &executed));
        if file.is_benchmark {
            found.extend(benchmark_numbers(ground, index));
        }
    }
    found
}

/// True if a type has a method of the name of another one, which is given as module, type, name.
fn is_taken(items: &super::item_sites::ItemSites, path: &[String]) -> bool {
    let [.., owner, name] = path else { return true };
    items.inherent.contains(&(owner.clone(), name.clone()))
}

fn executed<'a>(ground: &'a SeedContext<'_>) -> Vec<ExecutedStatement<'a>> {
    let mut executed = Vec::new();
    for (index, file) in ground.files.iter().enumerate() {
        for host in &file.survey.hosts {
            let reached = ground.heat.function_executions(file.path, host.lines);
            if !reached.is_reached() {
                continue;
            }
            for statement in &host.statements {
                if let Some(place) = reached.hotness(statement, SeedInsertionPoint::Within) {
                    executed.push(ExecutedStatement {
                        file: index,
                        owner: host.owner.as_deref(),
                        place,
                        uses: &statement.uses,
                    });
                }
            }
        }
    }
    executed
}

/// How often the code runs whose cost a change of an item changes: that of the statement that runs most often. `None` if
/// none is executed.
fn place(
    ground: &SeedContext<'_>,
    (index, site): (usize, &ItemSite),
    executed: &[ExecutedStatement<'_>],
) -> Option<SeedHotness> {
    let path = ground.files[index].path;
    let itself = |lines| ground.heat.function_executions(path, lines).most_often();
    let first = |fits: &dyn Fn(&ExecutedStatement<'_>) -> bool| {
        executed
            .iter()
            .filter(|statement| fits(statement))
            .map(|statement| statement.place)
            .min()
    };
    match &site.reach {
        SiteReach::Executed(lines) => itself(*lines),
        SiteReach::Called(method, lines) => {
            let called = first(&|statement| statement.uses.methods.contains(method))?;
            Some(called.max(itself(*lines)?))
        }
        SiteReach::Built(name) => {
            let is_built = |statement: &ExecutedStatement<'_>| {
                let built = &statement.uses.built;
                built.contains(name) || statement.owner == Some(name) && built.contains("Self")
            };
            first(&is_built)
        }
        SiteReach::Named(words) => match words.as_slice() {
            [word] => {
                let names = carried_by(ground, word);
                first(&|statement| !statement.uses.words.is_disjoint(&names) || statement.uses.methods.contains(word))
            }
            words => first(&|statement| words.iter().all(|word| statement.uses.words.contains(word))),
        },
        SiteReach::Steers(name) => {
            let names = carried_by(ground, name);
            // A name may mean something else in another file, unless it is one of many letters.
            let is_here = |statement: &ExecutedStatement<'_>| statement.file == index || name.len() > SHORT_NAME;
            first(&|statement| is_here(statement) && !statement.uses.steering.is_disjoint(&names))
        }
    }
}

/// Constants with shorter names are common: `N`, `LEN`, `MAX`.
const SHORT_NAME: usize = 4;

/// A name, and the names of constants and macros that depend on it.
fn carried_by(ground: &SeedContext<'_>, name: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::from([name.to_owned()]);
    loop {
        let before = names.len();
        for file in &ground.files {
            for (carrier, words) in &file.survey.items.carriers {
                if !words.is_disjoint(&names) {
                    names.insert(carrier.clone());
                }
            }
        }
        if names.len() == before {
            return names;
        }
    }
}

/// Files of text that executed code of a source includes.
fn data_files(ground: &SeedContext<'_>, index: usize, executed: &[ExecutedStatement<'_>]) -> Vec<ItemCandidate> {
    let file = &ground.files[index];
    let mut found = Vec::new();
    for name in &file.survey.items.included {
        let names = carried_by(ground, name);
        let place = executed
            .iter()
            .filter(|statement| !statement.uses.words.is_disjoint(&names))
            .map(|statement| statement.place)
            .min();
        if let (Some(place), Some(path)) = (place, beside(file.path, name)) {
            found.push(ItemCandidate {
                kind: PlantedKind::DataFile,
                place,
                file: index,
                what: ItemCandidateEdit::Data(path, name.clone()),
            });
        }
    }
    found
}

/// The path of a file that a source names relative to itself; `None` outside of the repository.
fn beside(source: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = source.split('/').collect();
    parts.pop();
    for part in name.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Numbers in the executed statements of a benchmark.
fn benchmark_numbers(ground: &SeedContext<'_>, index: usize) -> Vec<ItemCandidate> {
    let file = &ground.files[index];
    let mut found = Vec::new();
    for (host, function) in file.survey.hosts.iter().enumerate() {
        let reached = ground.heat.function_executions(file.path, function.lines);
        if !reached.is_reached() {
            continue;
        }
        for (at, statement) in function.statements.iter().enumerate() {
            let Some(place) = reached.hotness(statement, SeedInsertionPoint::Within) else {
                continue;
            };
            for number in 0..statement.numbers.len() {
                found.push(ItemCandidate {
                    kind: PlantedKind::BenchmarkInput,
                    place,
                    file: index,
                    what: ItemCandidateEdit::Number(host, at, number),
                });
            }
        }
    }
    found
}

impl ItemCandidate {
    /// Tells the candidates of a file apart. The choice of seeds depends on this text.
    pub(super) fn identity(&self, ground: &SeedContext<'_>) -> [String; 2] {
        let items = &ground.files[self.file].survey.items;
        let what = match &self.what {
            ItemCandidateEdit::Site(number) => items.sites[*number].description.clone(),
            ItemCandidateEdit::Data(path, _) => path.clone(),
            ItemCandidateEdit::Number(host, statement, number) => format!("{host} {statement} {number}"),
        };
        [self.kind.name().to_owned(), what]
    }

    /// The change with a number of rounds of work, where it needs any; `None` if the result is not valid Rust.
    pub(super) fn build(&self, ground: &SeedContext<'_>, rounds: u32) -> Option<SeededChange> {
        match &self.what {
            ItemCandidateEdit::Site(number) => {
                let file = &ground.files[self.file];
                self.edited_item(ground, &file.survey.items.sites[*number], rounds)
            }
            ItemCandidateEdit::Data(path, name) => self.longer_file(ground, path, name),
            ItemCandidateEdit::Number(host, statement, number) => {
                let function = &ground.files[self.file].survey.hosts[*host];
                let statement = &function.statements[*statement];
                let (at, was, larger) = statement.numbers.get(*number)?.clone();
                let line = statement.lines.first;
                let edits = vec![SeedEdit::replace(at, larger.clone())];
                let description = format!("{larger} instead of {was} at line {line} of the benchmark");
                self.change(ground, edits, (&function.path, line), description)
            }
        }
    }

    fn edited_item(&self, ground: &SeedContext<'_>, site: &ItemSite, rounds: u32) -> Option<SeededChange> {
        let text = ground.files[self.file].text;
        let name = candidates::fresh_name(text);
        let scope = SnippetGenerator {
            name: &name,
            core: ground.core,
        };
        let mut edits = site.written(&scope.call(rounds), &scope.repeat(rounds));
        let mut description = site.description.clone();
        if site.calls_work() {
            let function = scope.function(SnippetReturnKind::Number);
            edits.push(SeedEdit::behind(text, site.beside, &function));
        }
        if site.calls_work() || site.kind == PlantedKind::MacroBody {
            description.push_str(&format!(", by {rounds} rounds"));
        }
        self.change(ground, edits, (&site.path, site.line), description)
    }

    fn change(
        &self,
        ground: &SeedContext<'_>,
        edits: Vec<SeedEdit>,
        (path, line): (&[String], u32),
        description: String,
    ) -> Option<SeededChange> {
        let file = &ground.files[self.file];
        let after = apply(file.text, edits)?;
        if !(file.seeder.is_sound)(file.path, file.text, &after) {
            return None;
        }
        Some(SeededChange {
            kind: self.kind,
            place: self.place,
            file: Arc::clone(file.path),
            function: ground.name(self.file, path),
            line,
            before: None,
            after,
            description,
            aim: None,
        })
    }

    /// The file with its content twice.
    fn longer_file(&self, ground: &SeedContext<'_>, path: &str, name: &str) -> Option<SeededChange> {
        let bytes = ground.tree.bytes(path)?;
        let content = std::str::from_utf8(&bytes).ok()?;
        if content.is_empty() || content.len() > LARGEST_DATA {
            return None;
        }
        let between = if content.ends_with('\n') { "" } else { "\n" };
        Some(SeededChange {
            kind: self.kind,
            place: self.place,
            file: path.into(),
            function: name.into(),
            line: 1,
            before: None,
            after: format!("{content}{between}{content}"),
            description: String::from("the content of the file twice"),
            aim: None,
        })
    }
}
