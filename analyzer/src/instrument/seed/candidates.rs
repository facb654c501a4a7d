//! A statement and a kind of change → the edits that make this change.

use std::sync::Arc;

use super::definitions::{ParameterPassing, SeedableDefinition};
use super::edit::{SeedEdit, apply};
use super::edit_sites::{SeedableCall, SeedableFunction, SeedableStatement};
use super::execution_frequency::{FunctionExecutions, SeedInsertionPoint};
use super::model::{SeedHotness, SeededChange};
use super::new_items::{NewItem, camel_case};
use super::planted_code::{PlantedCode, SnippetReturnKind};
use super::planted_kind::PlantedKind;
use super::snippet::SnippetGenerator;
use super::{SeedContext, SeedSourceFile};
use crate::syntax::{self, SyntaxNode};

/// Rounds of the planted work: about 25, 100 and 400 instructions, so that at one place some changes stay below any
/// threshold and some exceed it.
pub(super) const ROUNDS: [u32; 3] = [4, 16, 64];

/// Larger functions are not rewritten: the added code would be longer than a screen.
const LARGEST_REWRITTEN: usize = 24;

/// Number of lines to add to a function of a given number of calls, operations and blocks, so that less than a quarter
/// of the result is old code. One line counts as four.
const fn lines_to_rewrite(size: usize) -> usize {
    (7 * size + 12).div_ceil(4)
}

/// The name of a new function, if the file does not contain this name.
const NAME: &str = "extra_work";

/// A change that could be planted.
#[derive(Debug, Clone)]
pub(super) struct SeedCandidate {
    pub(super) kind: PlantedKind,
    pub(super) place: SeedHotness,
    /// File, function, statement.
    pub(super) at: (usize, usize, usize),
    pub(super) variant: SeedVariant,
}

/// How a kind of change is made.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SeedVariant {
    /// Calls a new function.
    Work,
    /// Repeats the call with this number.
    Again(usize),
    /// Redirects the call with this number to a slower copy.
    Copied(usize),
    /// Adds this many lines of code.
    Lines(u32),
    /// Adds an empty loop.
    Repeat,
    /// Passes the field value with this number through a new function.
    Written(usize),
    /// Passes a field of `self` through a new function.
    Field(String),
    /// Calls a new function under a condition.
    Guarded,
    /// Puts a new function that returns true before the condition with this number.
    Condition(usize),
    /// Moves a call between a block and the code around it.
    Moved,
    /// Increases the argument of a call.
    Argument,
    /// Uses a new item, and changes the item.
    NewItem(NewItem),
}

impl SeedCandidate {
    /// Tells the candidates at one place in a file apart. The choice of seeds depends on this text: with another one,
    /// other changes are planted.
    pub(super) fn identity(&self) -> [String; 2] {
        let (_, host, statement) = self.at;
        let kind = camel_case(self.kind.name());
        let variant = match &self.variant {
            SeedVariant::Work => String::from("Work"),
            SeedVariant::Again(call) => format!("Again({call})"),
            SeedVariant::Copied(call) => format!("Copied({call})"),
            SeedVariant::Lines(lines) => format!("Lines({lines})"),
            SeedVariant::Repeat => String::from("Repeat"),
            SeedVariant::Written(field) => format!("Written({field})"),
            SeedVariant::Field(field) => format!("Field(\"{field}\")"),
            SeedVariant::Guarded => String::from("Guarded"),
            SeedVariant::Condition(condition) => format!("Condition({condition})"),
            SeedVariant::Moved => String::from("Moved"),
            SeedVariant::Argument => String::from("Argument"),
            SeedVariant::NewItem(item) => format!("NewItem({})", item.name()),
        };
        [format!("{kind} {host} {statement}"), variant]
    }
}

/// Adds the changes that could be planted at a statement.
pub(super) fn candidates(
    ground: &SeedContext<'_>,
    at: (usize, usize, usize),
    reached: &FunctionExecutions<'_>,
    found: &mut Vec<SeedCandidate>,
) {
    let file = &ground.files[at.0];
    let host = &file.survey.hosts[at.1];
    let statement = &host.statements[at.2];
    let (before, within) = (
        reached.hotness(statement, SeedInsertionPoint::Before),
        reached.hotness(statement, SeedInsertionPoint::Within),
    );
    let kinds = file.seeder.kinds;
    let mut add = |kind, variant: SeedVariant| {
        if !kinds.contains(&kind) {
            return;
        }
        let spot = match variant {
            SeedVariant::Condition(_) | SeedVariant::Moved | SeedVariant::Copied(_) | SeedVariant::Written(_) => within,
            SeedVariant::Work
            | SeedVariant::Again(_)
            | SeedVariant::Lines(_)
            | SeedVariant::Repeat
            | SeedVariant::Field(_)
            | SeedVariant::Guarded
            | SeedVariant::Argument
            | SeedVariant::NewItem(_) => before,
        };
        found.extend(spot.map(|place| SeedCandidate {
            kind,
            place,
            at,
            variant,
        }));
    };
    add(PlantedKind::CallAddition, SeedVariant::Work);
    add(PlantedKind::CallDeletion, SeedVariant::Work);
    add(PlantedKind::LoopAddition, SeedVariant::Repeat);
    add(PlantedKind::ConditionalAddition, SeedVariant::Guarded);
    add(PlantedKind::Parameter, SeedVariant::Argument);
    for item in NewItem::ALL {
        add(item.kind(), SeedVariant::NewItem(item));
    }
    for (number, call) in statement.calls.iter().enumerate() {
        let Some(definition) = ground.definitions.resolve_call(&file.survey, at.0, host, call) else {
            continue;
        };
        if repeated(file.text, call, definition, ground.core).is_some() {
            add(PlantedKind::CallAddition, SeedVariant::Again(number));
            add(PlantedKind::CallDeletion, SeedVariant::Again(number));
        }
        // In a condition, a copy would change the condition as well.
        let can_be_copied = definition.copy.as_ref().is_some_and(|copy| {
            // A copy stands beside its original.
            !file.seeder.is_declared_first || copy.whole.end <= host.ahead
        });
        if can_be_copied && !call.in_head {
            add(PlantedKind::CallSwap, SeedVariant::Copied(number));
        }
    }
    for number in 0..statement.written.len() {
        add(PlantedKind::FieldValue, SeedVariant::Written(number));
    }
    if host.changes_self && !statement.in_closure {
        let owner = host.owner.as_deref().unwrap_or_default();
        for field in ground.definitions.plain_fields(owner) {
            add(PlantedKind::FieldValue, SeedVariant::Field(field.clone()));
        }
    }
    for number in 0..statement.conditions.len() {
        add(PlantedKind::ConditionExpression, SeedVariant::Condition(number));
    }
    if statement.inner.is_some() {
        add(PlantedKind::CallScope, SeedVariant::Moved);
    }
    if statement.is_first
        && let Some(size) = size(file, host)
        && size <= LARGEST_REWRITTEN
    {
        let lines = u32::try_from(lines_to_rewrite(size)).unwrap_or(u32::MAX);
        add(PlantedKind::CompleteChange, SeedVariant::Lines(lines));
    }
}

/// Calls, operations and blocks of a function, as the change analysis counts them.
fn size(file: &SeedSourceFile<'_>, host: &SeedableFunction) -> Option<usize> {
    let source = file
        .parsed
        .get_or_init(|| syntax::SourceParser::default().parse(file.path, file.text.as_bytes()));
    let function = source
        .functions
        .iter()
        .find(|function| function.path == host.path && function.lines.last == host.lines.last)?;
    let nodes = function.blocks.iter().map(|block| {
        let own = block.head.iter().chain(&block.nodes);
        1 + own.filter(|node| !matches!(node, SyntaxNode::Block(_))).count()
    });
    Some(nodes.sum())
}

/// The arguments of a repeated call; `None` if they are not plain. The first of them is hidden from the optimiser,
/// which would otherwise merge the two calls.
fn repeated(text: &str, call: &SeedableCall, definition: &SeedableDefinition, core: &str) -> Option<Vec<String>> {
    let (arguments, passing) = (call.arguments.as_ref()?, definition.passing.as_ref()?);
    if arguments.len() != passing.len() {
        return None;
    }
    let mut written = Vec::with_capacity(arguments.len());
    for (argument, passing) in arguments.iter().zip(passing) {
        let given = text.get(argument.at.clone())?;
        let is_borrowed = argument.is_reference || argument.is_literal;
        written.push(match passing {
            ParameterPassing::Shared if !is_borrowed => format!("&*{given}"),
            ParameterPassing::Shared | ParameterPassing::Value => given.to_owned(),
        });
    }
    if let Some(first) = written.first_mut() {
        *first = format!("{core}::hint::black_box({first})");
    }
    Some(written)
}

/// One change that is being planted.
pub(super) struct SeedBuilder<'g, 'a> {
    ground: &'g SeedContext<'a>,
    candidate: &'g SeedCandidate,
    file: &'g SeedSourceFile<'a>,
    host: &'g SeedableFunction,
    statement: &'g SeedableStatement,
}

impl<'g, 'a> SeedBuilder<'g, 'a> {
    pub(super) fn new(ground: &'g SeedContext<'a>, candidate: &'g SeedCandidate) -> Self {
        let (file, host, statement) = candidate.at;
        let file = &ground.files[file];
        let host = &file.survey.hosts[host];
        Self {
            ground,
            candidate,
            file,
            host,
            statement: &host.statements[statement],
        }
    }

    /// The change with a given number of rounds of work; `None` if the result has a syntax error.
    pub(super) fn build(&self, rounds: u32) -> Option<SeededChange> {
        let name = fresh_name(self.file.text);
        let (sides, description) = self.edits(&name, rounds)?;
        let text = self.file.text;
        let written = |edits: Vec<SeedEdit>| {
            let edited = apply(text, edits)?;
            (self.file.seeder.is_sound)(self.file.path, text, &edited).then_some(edited)
        };
        let before = sides.before.map(|edits| written(edits).ok_or(()));
        Some(SeededChange {
            kind: self.candidate.kind,
            place: self.candidate.place,
            file: Arc::clone(self.file.path),
            function: self.ground.name(self.candidate.at.0, &self.host.path),
            line: self.statement.lines.first,
            before: before.transpose().ok()?,
            after: written(sides.after)?,
            description,
            aim: None,
        })
    }

    fn edits(&self, name: &str, rounds: u32) -> Option<(SeedEditPair, String)> {
        let Self { host, statement, .. } = self;
        let text = &**self.file.text;
        let line = statement.lines.first;
        let core = self.ground.core;
        let code = (self.file.seeder.code)(name, core);
        let here = |lines: &str| SeedEdit::before(text, statement.start, lines);
        let beside = |gives| self.new_function(&*code, (host.ahead, host.beside), gives);
        let work = |rounds| here(&code.call(rounds));
        let new_function = || beside(SnippetReturnKind::Number);
        Some(match &self.candidate.variant {
            SeedVariant::Work => (
                self.added(vec![work(rounds), new_function()]),
                format!("call of a new function of {rounds} rounds at line {line}"),
            ),
            SeedVariant::Again(call) => {
                let call = statement.calls.get(*call)?;
                let definition = self.definition(call)?;
                let arguments = repeated(text, call, definition, core)?;
                let again = SnippetGenerator { name, core }.repeated_call(text.get(call.callee.clone())?, &arguments);
                (
                    self.added(vec![here(&again)]),
                    format!("second call of `{}` at line {line}", call.name),
                )
            }
            SeedVariant::Copied(call) => {
                let call = statement.calls.get(*call)?;
                let mut edits = vec![SeedEdit::replace(call.at.clone(), format!("{}_{name}", call.name))];
                edits.extend(self.copied(call, &*code, (name, rounds))?);
                (
                    SeedEditPair::after(edits),
                    format!(
                        "call of `{}` replaced by that of a copy with {rounds} rounds more at line {line}",
                        call.name
                    ),
                )
            }
            SeedVariant::Lines(count) => (
                SeedEditPair::after(vec![here(&code.lines(*count))]),
                format!("{count} new lines of arithmetic at line {line}"),
            ),
            SeedVariant::Repeat => (
                SeedEditPair::after(vec![here(&code.repeat(rounds))]),
                format!("new loop of {rounds} rounds at line {line}"),
            ),
            SeedVariant::Written(number) => {
                let (field, value) = statement.written.get(*number)?;
                let given = text.get(value.clone())?;
                let by = code.value(rounds, given);
                (
                    SeedEditPair::after(vec![SeedEdit::replace(value.clone(), by), new_function()]),
                    format!(
                        "value of the field `{field}` found with a call of a new function of {rounds} rounds at line {line}"
                    ),
                )
            }
            SeedVariant::Field(field) => {
                let set = format!("self.{field} = {name}(self.{field}, {rounds});");
                (
                    SeedEditPair::after(vec![here(&set), beside(SnippetReturnKind::Itself)]),
                    format!("field `{field}` set by a new function of {rounds} rounds at line {line}"),
                )
            }
            SeedVariant::Guarded => (
                SeedEditPair::after(vec![here(&code.guarded(rounds)), new_function()]),
                format!("conditional call of a new function of {rounds} rounds at line {line}"),
            ),
            SeedVariant::Condition(number) => {
                let condition = statement.conditions.get(*number)?;
                let by = code.condition(rounds, text.get(condition.clone())?);
                (
                    SeedEditPair::after(vec![
                        SeedEdit::replace(condition.clone(), by),
                        beside(SnippetReturnKind::Truth),
                    ]),
                    format!("condition at line {line} asks a new function of {rounds} rounds first"),
                )
            }
            SeedVariant::Moved => {
                let inner = statement.inner?;
                let inside = SeedEdit::before(text, inner.start, &code.call(rounds));
                let (from, to, way) = if inner.is_loop {
                    (work(rounds), inside, "into the loop")
                } else {
                    (inside, work(rounds), "out of the conditional")
                };
                (
                    SeedEditPair {
                        before: Some(vec![from, new_function()]),
                        after: vec![to, new_function()],
                    },
                    format!("call of a function of {rounds} rounds moved {way} at line {line}"),
                )
            }
            SeedVariant::Argument => (
                SeedEditPair {
                    before: Some(vec![work(1), new_function()]),
                    after: vec![work(rounds), new_function()],
                },
                format!("call of a function at line {line} told to do {rounds} rounds instead of 1"),
            ),
            SeedVariant::NewItem(item) => {
                let sides = item.sides(SnippetGenerator { name, core }, rounds);
                let items = |written: &str| match sides.comes_first {
                    true => SeedEdit::ahead(text, host.ahead, written),
                    false => SeedEdit::behind(text, host.beside, written),
                };
                (
                    SeedEditPair {
                        before: Some(vec![here(&sides.statement), items(&sides.before)]),
                        after: vec![here(&sides.statement), items(&sides.after)],
                    },
                    format!("{}: {rounds} rounds instead of 1 at line {line}", item.words()),
                )
            }
        })
    }

    /// An addition, or its reverse where the kind is a deletion.
    fn added(&self, edits: Vec<SeedEdit>) -> SeedEditPair {
        if self.candidate.kind == PlantedKind::CallDeletion {
            SeedEditPair {
                before: Some(edits),
                after: Vec::new(),
            }
        } else {
            SeedEditPair::after(edits)
        }
    }

    fn definition(&self, call: &SeedableCall) -> Option<&'g SeedableDefinition> {
        let file = self.candidate.at.0;
        self.ground
            .definitions
            .resolve_call(&self.file.survey, file, self.host, call)
    }

    /// The new function, before or behind an item of the module.
    fn new_function(
        &self,
        code: &dyn PlantedCode,
        (ahead, beside): (usize, usize),
        gives: SnippetReturnKind,
    ) -> SeedEdit {
        let (text, written) = (&**self.file.text, code.function(gives));
        match self.file.seeder.is_declared_first {
            true => SeedEdit::ahead(text, ahead, &written),
            false => SeedEdit::behind(text, beside, &written),
        }
    }

    /// A slower copy of the callee behind it, and the new function that makes it slower.
    fn copied(
        &self,
        call: &SeedableCall,
        code: &dyn PlantedCode,
        (name, rounds): (&str, u32),
    ) -> Option<[SeedEdit; 2]> {
        let text = &**self.file.text;
        let from = self.definition(call)?.copy.as_ref()?;
        // Converts an offset in the file to an offset in the copy.
        let inside = |offset: usize| offset.checked_sub(from.whole.start);
        let original = text.get(from.whole.clone())?;
        let visibility = if from.visibility.is_empty() {
            0..0
        } else {
            inside(from.visibility.start)?..inside(from.visibility.end)?
        };
        let name = format!("{}_{name}", call.name);
        let slower = SeedEdit::before(original, inside(from.body)?, &code.call(rounds));
        let copy = apply(
            original,
            vec![
                SeedEdit::replace(visibility, ""),
                SeedEdit::replace(inside(from.name.start)?..inside(from.name.end)?, name),
                slower,
            ],
        )?;
        // Outside of an `impl` both offsets are equal: the copy comes first.
        Some([
            SeedEdit::indented_behind(text, from.whole.clone(), &copy),
            self.new_function(code, (from.ahead, from.beside), SnippetReturnKind::Number),
        ])
    }
}

/// The edits of both sides; `None` before if the original file is the starting point.
struct SeedEditPair {
    before: Option<Vec<SeedEdit>>,
    after: Vec<SeedEdit>,
}

impl SeedEditPair {
    fn after(edits: Vec<SeedEdit>) -> Self {
        Self {
            before: None,
            after: edits,
        }
    }
}

/// A name that does not occur in a text, neither as that of a function nor as that of a type or constant.
pub(super) fn fresh_name(text: &str) -> String {
    let mut name = NAME.to_owned();
    let mut number = 1;
    while text.contains(&name) || text.contains(&camel_case(&name)) || text.contains(&name.to_uppercase()) {
        number += 1;
        name = format!("{NAME}_{number}");
    }
    name
}
