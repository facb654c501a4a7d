//! A language's query over a tree → what each node means. The names of captures are the whole interface
//! between a `structure.scm` and this front end.

use std::collections::HashMap;

use tree_sitter::{Node, Query, QueryCursor, StreamingIterator};

/// What a node is by itself: a set, because a node can be several things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Role {
    /// A function; parts: name, body, returns.
    Function,
    /// A module, class or implementation whose name is part of the names inside; parts: name, trait.
    Scope,
    /// A scope whose name is the owner of its functions.
    Owner,
    /// A call; parts: name, receiver, path, arguments, or value for what is called otherwise.
    Call,
    /// A call of a macro.
    Macro,
    /// Assignment to a field; part: field.
    Write,
    /// A parameter; parts: name, type.
    Parameter,
    /// What shows a local's type; parts: name, type or constructor.
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
    /// One primitive operation.
    Work,
    /// A name that is bound here.
    Local,
    /// Documentation that the grammar takes for code.
    Comment,
    /// One token although it has children.
    Token,
    /// Its end is part of the syntax.
    Layout,
    /// Its content simply runs; nothing of its text is left.
    Inline,
    /// Holds nothing that runs.
    Skip,
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

/// What a node is to another one of the same match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
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
}

const ROLES: [(&str, Role); 38] = [
    ("function", Role::Function),
    ("scope", Role::Scope),
    ("owner", Role::Owner),
    ("call", Role::Call),
    ("macro", Role::Macro),
    ("write", Role::Write),
    ("parameter", Role::Parameter),
    ("hint", Role::Hint),
    ("self", Role::Receiver),
    ("public", Role::Public),
    ("attribute", Role::Attribute),
    ("test", Role::Test),
    ("loop", Role::Loop),
    ("conditional", Role::Conditional),
    ("arm", Role::Arm),
    ("closure", Role::Closure),
    ("head", Role::Head),
    ("after", Role::After),
    ("lazy", Role::Lazy),
    ("compute", Role::Compute),
    ("jump", Role::Jump),
    ("try", Role::Try),
    ("pattern", Role::Pattern),
    ("work", Role::Work),
    ("local", Role::Local),
    ("comment", Role::Comment),
    ("token", Role::Token),
    ("layout", Role::Layout),
    ("inline", Role::Inline),
    ("skip", Role::Skip),
    ("item.constant", Role::Constant),
    ("item.type", Role::Type),
    ("item.trait", Role::Trait),
    ("item.implementation", Role::Implementation),
    ("item.macro", Role::MacroDefinition),
    ("item.import", Role::Import),
    ("item.invocation", Role::Invocation),
    ("item.attribute", Role::FileAttribute),
];

const PARTS: [(&str, Part); 12] = [
    ("name", Part::Name),
    ("body", Part::Body),
    ("returns", Part::Returns),
    ("receiver", Part::Receiver),
    ("path", Part::Path),
    ("arguments", Part::Arguments),
    ("value", Part::Value),
    ("field", Part::Field),
    ("type", Part::Type),
    ("constructor", Part::Constructor),
    ("trait", Part::Trait),
    ("target", Part::Target),
];

/// What a capture of a query stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meaning {
    Role(Role),
    Part(Part),
}

/// The meaning of each capture of a query, by its index; an unknown name is a mistake in the query.
pub(crate) fn meanings(query: &Query) -> Result<Vec<Meaning>, String> {
    let meaning = |name: &&str| {
        let role = ROLES
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, role)| Meaning::Role(*role));
        let part = || {
            PARTS
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, part)| Meaning::Part(*part))
        };
        role.or_else(part).ok_or_else(|| format!("unknown capture @{name}"))
    };
    query.capture_names().iter().map(meaning).collect()
}

/// What the nodes of one tree mean.
#[derive(Debug, Default)]
pub(crate) struct Captures<'t> {
    roles: HashMap<usize, u64>,
    parts: HashMap<usize, Vec<(Part, Node<'t>)>>,
}

impl<'t> Captures<'t> {
    /// Runs a query over a tree.
    pub(crate) fn new(query: &Query, meanings: &[Meaning], root: Node<'t>, source: &str) -> Self {
        let mut captures = Self::default();
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, root, source.as_bytes());
        while let Some(found) = matches.next() {
            let mut anchors = Vec::new();
            for capture in found.captures() {
                if let Some(Meaning::Role(role)) = meanings.get(capture.index as usize) {
                    *captures.roles.entry(capture.node.id()).or_default() |= 1 << (*role as u8);
                    if role.has_parts() {
                        anchors.push(capture.node.id());
                    }
                }
            }
            anchors.dedup();
            for capture in found.captures() {
                if let Some(Meaning::Part(part)) = meanings.get(capture.index as usize) {
                    for anchor in &anchors {
                        let parts = captures.parts.entry(*anchor).or_default();
                        if !parts.iter().any(|(known, _)| known == part) {
                            parts.push((*part, capture.node));
                        }
                    }
                }
            }
        }
        captures
    }

    pub(crate) fn is(&self, node: Node<'_>, role: Role) -> bool {
        self.roles
            .get(&node.id())
            .is_some_and(|roles| roles & (1 << (role as u8)) != 0)
    }

    pub(crate) fn any(&self, node: Node<'_>, roles: &[Role]) -> Option<Role> {
        roles.iter().copied().find(|role| self.is(node, *role))
    }

    pub(crate) fn part(&self, node: Node<'_>, part: Part) -> Option<Node<'t>> {
        let parts = self.parts.get(&node.id())?;
        parts.iter().find(|(known, _)| *known == part).map(|(_, node)| *node)
    }
}

impl Role {
    fn has_parts(self) -> bool {
        use Role::{
            Call, Constant, FileAttribute, Function, Hint, Implementation, Import, Invocation, MacroDefinition,
            Parameter, Scope, Trait, Type, Write,
        };
        matches!(
            self,
            Function
                | Scope
                | Call
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
