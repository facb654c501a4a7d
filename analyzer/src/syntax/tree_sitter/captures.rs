//! A language's query over a tree → what each node means. The names of captures are the whole interface
//! between a `structure.scm` and this front end.

use hashbrown::HashMap;

use std::ops::ControlFlow;

use tree_sitter::{Node, Query, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator};

use crate::syntax::limits::ParseLimits;
use crate::syntax::work_budget::WorkBudget;

/// The work that tree-sitter does between two questions whether to go on: a constant of its query cursor.
const STEPS_PER_CALLBACK: usize = 1000;

/// The role of a node by itself: a set, because a node can have several roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum NodeRole {
    /// A function; parts: name, body, returns.
    Function,
    /// A function that gives a value back; part: returns.
    Returning,
    /// A module, class or implementation whose name is part of the names inside; parts: name, trait.
    Scope,
    /// A scope whose name is the owner of its functions.
    Owner,
    /// Says that compilers may compute the function in which it stands.
    Precomputed,
    /// A call; parts: name, receiver, path, arguments, or value for what is called otherwise.
    Call,
    /// A call of a macro.
    Macro,
    /// Assignment to a field; part: field.
    Write,
    /// A parameter; parts: name, type.
    Parameter,
    /// An expression that shows a local's type; parts: name, type or constructor.
    Hint,
    /// The receiver among the parameters.
    Receiver,
    /// A function that is visible outside.
    Public,
    /// An attribute or decorator of what follows.
    Attribute,
    /// An attribute that keeps what follows for tests.
    Test,
    /// Blocks.
    Loop,
    Conditional,
    Arm,
    Closure,
    /// A loop that takes its next element itself: one operation in each round, beside the head and the body.
    Step,
    /// Inside a block's node: evaluated first, and decides whether it runs.
    Head,
    /// Inside a block's node, but after the block, not in it.
    After,
    /// A right operand that is a conditional block if it holds nodes.
    Lazy,
    /// Operations: the outermost is one.
    Compute,
    Jump,
    Try,
    Pattern,
    /// A value of a class that is made from another one; part: type.
    Copied,
    /// Says that nobody changes the value of a parameter.
    Unchangeable,
    /// A name whose value is given away.
    Moved,
    /// An array that is filled where it stands; part: arguments, which is its length.
    Filled,
    /// Executed where it stands, by a call that the source does not write: an import, or what makes a function or a class.
    Made,
    /// In the head of a function: evaluated where the function is made.
    Evaluated,
    /// The same of a stated type, where types are not postponed.
    StatedType,
    /// One primitive operation.
    Work,
    /// A name that is bound here.
    Local,
    /// A name that is bound outside, also where the function gives it a value.
    Outer,
    /// Documentation that the grammar takes for code.
    Comment,
    /// One token although it has children.
    Token,
    /// The marks that a text stands in, which may be of another kind.
    Quote,
    /// Its end is part of the syntax.
    Layout,
    /// Its content simply runs; nothing of its text is left.
    Inline,
    /// Holds nothing that runs.
    Skip,
    /// A condition on what is compiled, around functions and items or in a body; part: condition.
    Guard,
    /// Holds functions and items, and says nothing itself.
    Group,
    /// Declares a function without its body.
    Prototype,
    /// Tells the compiler more of a function than its types.
    Instruction,
    /// Ends the build where it is compiled: nothing that was built has it.
    Refusal,
    /// Items.
    Constant,
    Type,
    Trait,
    Implementation,
    MacroDefinition,
    Import,
    Invocation,
    FileAttribute,
}

/// The role of a node for another one of the same match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodePart {
    Name,
    Body,
    Returns,
    Receiver,
    Path,
    Arguments,
    Value,
    Field,
    Type,
    Constructor,
    Trait,
    Target,
    Condition,
}

const ROLES: [(&str, NodeRole); 55] = [
    ("function", NodeRole::Function),
    ("returning", NodeRole::Returning),
    ("precomputed", NodeRole::Precomputed),
    ("scope", NodeRole::Scope),
    ("owner", NodeRole::Owner),
    ("call", NodeRole::Call),
    ("macro", NodeRole::Macro),
    ("write", NodeRole::Write),
    ("parameter", NodeRole::Parameter),
    ("hint", NodeRole::Hint),
    ("self", NodeRole::Receiver),
    ("public", NodeRole::Public),
    ("attribute", NodeRole::Attribute),
    ("test", NodeRole::Test),
    ("loop", NodeRole::Loop),
    ("conditional", NodeRole::Conditional),
    ("arm", NodeRole::Arm),
    ("closure", NodeRole::Closure),
    ("step", NodeRole::Step),
    ("head", NodeRole::Head),
    ("after", NodeRole::After),
    ("lazy", NodeRole::Lazy),
    ("compute", NodeRole::Compute),
    ("jump", NodeRole::Jump),
    ("try", NodeRole::Try),
    ("pattern", NodeRole::Pattern),
    ("copied", NodeRole::Copied),
    ("constant", NodeRole::Unchangeable),
    ("moved", NodeRole::Moved),
    ("filled", NodeRole::Filled),
    ("made", NodeRole::Made),
    ("evaluated", NodeRole::Evaluated),
    ("evaluated.type", NodeRole::StatedType),
    ("work", NodeRole::Work),
    ("local", NodeRole::Local),
    ("outer", NodeRole::Outer),
    ("comment", NodeRole::Comment),
    ("token", NodeRole::Token),
    ("quote", NodeRole::Quote),
    ("layout", NodeRole::Layout),
    ("inline", NodeRole::Inline),
    ("skip", NodeRole::Skip),
    ("guard", NodeRole::Guard),
    ("group", NodeRole::Group),
    ("prototype", NodeRole::Prototype),
    ("instruction", NodeRole::Instruction),
    ("refusal", NodeRole::Refusal),
    ("item.constant", NodeRole::Constant),
    ("item.type", NodeRole::Type),
    ("item.trait", NodeRole::Trait),
    ("item.implementation", NodeRole::Implementation),
    ("item.macro", NodeRole::MacroDefinition),
    ("item.import", NodeRole::Import),
    ("item.invocation", NodeRole::Invocation),
    ("item.attribute", NodeRole::FileAttribute),
];

const PARTS: [(&str, NodePart); 13] = [
    ("name", NodePart::Name),
    ("body", NodePart::Body),
    ("returns", NodePart::Returns),
    ("receiver", NodePart::Receiver),
    ("path", NodePart::Path),
    ("arguments", NodePart::Arguments),
    ("value", NodePart::Value),
    ("field", NodePart::Field),
    ("type", NodePart::Type),
    ("constructor", NodePart::Constructor),
    ("trait", NodePart::Trait),
    ("target", NodePart::Target),
    ("condition", NodePart::Condition),
];

/// The meaning of a capture of a query.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CaptureMeaning {
    Role(NodeRole),
    Part(NodePart),
}

/// The meaning of each capture of a query, by its index; an unknown name is a mistake in the query.
pub(crate) fn meanings(query: &Query) -> Result<Vec<CaptureMeaning>, String> {
    let meaning = |name: &&str| {
        let role = ROLES
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, role)| CaptureMeaning::Role(*role));
        let part = || {
            PARTS
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, part)| CaptureMeaning::Part(*part))
        };
        role.or_else(part).ok_or_else(|| format!("unknown capture @{name}"))
    };
    query.capture_names().iter().map(meaning).collect()
}

/// The meanings of the nodes of one tree.
#[derive(Debug, Default)]
pub(crate) struct QueryCaptures<'t> {
    roles: HashMap<usize, u64>,
    parts: HashMap<usize, Vec<(NodePart, Node<'t>)>>,
}

impl<'t> QueryCaptures<'t> {
    /// Runs a query over a tree; `None` if that takes too many steps.
    pub(crate) fn new(
        query: &Query,
        meanings: &[CaptureMeaning],
        root: Node<'t>,
        source: &str,
        limits: &ParseLimits,
    ) -> Option<Self> {
        let mut captures = Self::default();
        let budget = WorkBudget::for_source(source.len(), limits);
        let mut progress = |_: &QueryCursorState| match budget.spend(STEPS_PER_CALLBACK) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches_with_options(query, root, source.as_bytes(), options);
        while let Some(found) = matches.next() {
            let mut anchors = Vec::new();
            for capture in found.captures() {
                if let Some(CaptureMeaning::Role(role)) = meanings.get(capture.index as usize) {
                    *captures.roles.entry(capture.node.id()).or_default() |= 1 << (*role as u8);
                    if role.has_parts() {
                        anchors.push(capture.node.id());
                    }
                }
            }
            anchors.dedup();
            for capture in found.captures() {
                if let Some(CaptureMeaning::Part(part)) = meanings.get(capture.index as usize) {
                    for anchor in &anchors {
                        let parts = captures.parts.entry(*anchor).or_default();
                        if !parts.iter().any(|(known, _)| known == part) {
                            parts.push((*part, capture.node));
                        }
                    }
                }
            }
        }
        (!budget.is_spent()).then_some(captures)
    }

    pub(crate) fn is(&self, node: Node<'_>, role: NodeRole) -> bool {
        self.roles
            .get(&node.id())
            .is_some_and(|roles| roles & (1 << (role as u8)) != 0)
    }

    pub(crate) fn any(&self, node: Node<'_>, roles: &[NodeRole]) -> Option<NodeRole> {
        roles.iter().copied().find(|role| self.is(node, *role))
    }

    pub(crate) fn part(&self, node: Node<'_>, part: NodePart) -> Option<Node<'t>> {
        let parts = self.parts.get(&node.id())?;
        parts.iter().find(|(known, _)| *known == part).map(|(_, node)| *node)
    }
}

impl NodeRole {
    fn has_parts(self) -> bool {
        use NodeRole::{
            Call, Constant, Copied, FileAttribute, Filled, Function, Guard, Hint, Implementation, Import, Invocation,
            MacroDefinition, Parameter, Returning, Scope, Trait, Type, Write,
        };
        matches!(
            self,
            Function
                | Returning
                | Guard
                | Scope
                | Call
                | Copied
                | Filled
                | Write
                | Parameter
                | Hint
                | Constant
                | Type
                | Trait
                | Implementation
                | MacroDefinition
                | Import
                | Invocation
                | FileAttribute
        )
    }
}
