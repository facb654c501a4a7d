//! A Python source → the statements that importing it executes, with the names that each of them binds if it does nothing else.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::GRAMMAR;
use super::bindings::{Bindings, TELLING, bindings, decorator_name, definition_of, imports, words_of};
use super::loading::{PlacedNode, START, StatedTypes, documentation, is_not_loaded, loading_text, names_no_base};
use super::own_names::{BUILT_IN_ERRORS, OwnNames, Scope};
use crate::languages::ImportedClass;
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::parse_tree;

/// Decorators of which the same holds for a class.
const SILENT_CLASS_DECORATORS: [&str; 7] = [
    "dataclass",
    "dataclasses.dataclass",
    "enum.unique",
    "final",
    "functools.total_ordering",
    "total_ordering",
    "typing.final",
];

/// Classes of the language, beside its errors, that ask a class made from them for no name but its own special ones.
const SILENT_BASES: [&str; 6] = ["ABC", "Generic", "Protocol", "abc.ABC", "object", "typing.Generic"];

/// Classes of the language that look through a class made from them, and tell nobody of it.
const LOOKING_BASES: [&str; 12] = [
    "Enum",
    "Flag",
    "IntEnum",
    "IntFlag",
    "NamedTuple",
    "StrEnum",
    "TypedDict",
    "enum.Enum",
    "enum.IntEnum",
    "namedtuple",
    "typing.NamedTuple",
    "typing.TypedDict",
];

/// Classes of `collections.abc`, which look through a class made from them for what is abstract.
const ABSTRACT_COLLECTIONS: [&str; 22] = [
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterator",
    "Awaitable",
    "Callable",
    "Collection",
    "Container",
    "Coroutine",
    "Generator",
    "Hashable",
    "ItemsView",
    "Iterable",
    "Iterator",
    "KeysView",
    "Mapping",
    "MutableMapping",
    "MutableSequence",
    "MutableSet",
    "Reversible",
    "Sequence",
    "Set",
    "Sized",
];

/// A statement that importing executes.
pub(super) struct LoadedStatement {
    /// Without the stated types of parameters and results.
    pub(super) text: String,
    pub(super) with_types: String,
    /// The classes around it, outermost first.
    pub(super) classes: Vec<String>,
    /// The classes of other sources that these are made from, and a class that the statement makes: if they ask a class made from
    /// them for no name, these ask for none that is made up of others. `None` if they may in any case.
    pub(super) silent_if: Option<BTreeSet<ImportedClass>>,
    /// `None` if it may do more than to bind names.
    pub(super) binds: Option<Bindings>,
    pub(super) kind: StatementKind,
}

/// The kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatementKind {
    /// The head of a class.
    Class,
    /// The head of a function.
    Function,
    /// Anything else.
    Other,
}

impl LoadedStatement {
    /// True if it may bind a name.
    fn may_bind(&self, name: &str) -> bool {
        match &self.binds {
            Some(bindings) => bindings.names.iter().any(|bound| bound == name),
            None => !self.is_call() && words_of(&self.text).contains(name),
        }
    }

    /// True for a call whose result has no name.
    fn is_call(&self) -> bool {
        let mut kinds = self.text.split(START);
        (kinds.next(), kinds.next()) == (Some("expression_statement"), Some("call"))
            && !self.text.contains("named_expression")
    }

    /// True if no class around it asks for a name that is made up of others, as far as this source tells.
    pub(super) fn is_of_silent_classes(&self) -> bool {
        self.silent_if.is_some()
    }

    /// The modules that it loads.
    pub(super) fn modules(&self) -> &[String] {
        self.binds.as_ref().map_or(&[], |bindings| &bindings.modules)
    }

    /// The classes around it and the name that it takes from a module, if it does nothing else: all but the module.
    pub(super) fn taken_name(&self) -> Option<(&[String], &str)> {
        match self.modules() {
            [module] => Some((&*self.classes, self.text.strip_prefix(module.as_str())?)),
            _ => None,
        }
        .filter(|(_, rest)| rest.starts_with(" import "))
    }

    /// Whether it does the same before and after another statement: neither of them does more than to bind names, and none
    /// binds a name of the other or asks for one.
    pub(super) fn trade_with<'s>(&'s self, other: &'s Self) -> StatementTrade<'s> {
        let (Some(one), Some(two)) = (&self.binds, &other.binds) else {
            return StatementTrade::Told;
        };
        let asks = |statement: &Self, bindings: &Bindings| {
            let words = words_of(&statement.with_types);
            bindings.names.iter().any(|name| words.contains(name.as_str()))
        };
        let are_all = |kind: StatementKind| [self.kind, other.kind] == [kind; 2];
        // Who looks through a class, such as one of fields, sees its values in their order.
        let is_order_of_values =
            self.classes == other.classes && !self.is_of_silent_classes() && !are_all(StatementKind::Function);
        let may_tell = [self.kind, other.kind].contains(&StatementKind::Class)
            || is_order_of_values
            || one.names.iter().any(|name| two.names.contains(name))
            || asks(self, two)
            || asks(other, one);
        let [one, two] = [one, two].map(Bindings::modules_with_code);
        match (may_tell, one.is_empty() || two.is_empty()) {
            (true, _) => StatementTrade::Told,
            (false, true) => StatementTrade::Untold,
            (false, false) => StatementTrade::ToldByModules([one, two].concat()),
        }
    }
}

/// Whether anything can tell that two statements have traded places.
pub(super) enum StatementTrade<'s> {
    Untold,
    Told,
    /// If one of these modules does more than to bind names when it is loaded.
    ToldByModules(Vec<&'s str>),
}

/// The statements of a source.
pub(super) struct SourceStatements {
    pub(super) list: Vec<LoadedStatement>,
    pub(super) exported: ExportedNames,
    /// Every class: those around it and its own name.
    pub(super) classes: BTreeSet<Vec<String>>,
    /// The classes of the module, each with the classes of other sources that it is made from and that must ask it for no name, so that
    /// it asks for none; `None` for one that may in any case.
    pub(super) made_from: BTreeMap<String, Option<BTreeSet<ImportedClass>>>,
    /// The texts that tell people of the module, its classes and its functions.
    pub(super) documentation: String,
    /// True if stated types are not evaluated.
    pub(super) postpones_types: bool,
}

/// The names of a source for those who take all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExportedNames {
    /// All that do not begin with an underscore.
    All,
    /// These.
    Listed(BTreeSet<String>),
    /// Those of a list that is made up.
    Unknown,
}

impl SourceStatements {
    /// `None` for a source with syntax errors.
    pub(super) fn of(source: &str) -> Option<Self> {
        let tree = parse_tree(&GRAMMAR, source, &ParseLimits::default())?;
        Self::below(tree.root_node(), source)
    }

    /// Those below the root of a source's tree.
    pub(super) fn below(root: Node<'_>, source: &str) -> Option<Self> {
        let mut read = Self {
            list: Vec::new(),
            exported: ExportedNames::All,
            classes: BTreeSet::new(),
            made_from: BTreeMap::new(),
            documentation: documentation(root, source),
            postpones_types: false,
        };
        let own = OwnNames::of(root, source);
        let mut silent_classes = BTreeSet::new();
        let mut open = vec![(PlacedNode::alone(root), Vec::new(), Some(BTreeSet::new()))];
        while let Some((block, classes, silent_if)) = open.pop() {
            let statement_of = |text: String, binds: Option<Bindings>| LoadedStatement {
                with_types: text.clone(),
                text,
                classes: classes.clone(),
                silent_if: silent_if.clone(),
                binds,
                kind: StatementKind::Other,
            };
            let scope = Scope {
                source,
                own: &own,
                classes: &classes,
            };
            let mut cursor = block.node.walk();
            for statement in block.node.named_children(&mut cursor) {
                let placed = block.child(statement);
                if statement.kind() == "comment" || is_not_loaded(placed, source) {
                    continue;
                }
                if classes.is_empty()
                    && let Some(names) = exported_names(statement, source)
                {
                    // A second list may add to the first one, or take its place.
                    read.exported = match (&read.exported, names) {
                        (ExportedNames::All, Some(names)) => ExportedNames::Listed(names),
                        _ => ExportedNames::Unknown,
                    };
                    continue;
                }
                // All that can be asked for but this is so in any case.
                if statement.kind() == "future_import_statement" {
                    let asked = |name: &str| {
                        let mut cursor = statement.walk();
                        let mut names = statement.named_children(&mut cursor);
                        names.any(|asked| source.get(asked.byte_range()) == Some(name))
                    };
                    read.postpones_types |= asked("annotations");
                    continue;
                }
                let (definition, decorators) = definition_of(statement);
                if definition.kind() == "class_definition" {
                    let head = class_head(definition, &decorators, &silent_classes, scope)?;
                    let mut within = classes.clone();
                    within.push(head.name.clone());
                    read.classes.insert(within.clone());
                    let with_bases =
                        |around: &BTreeSet<ImportedClass>| around.union(&head.other_bases).cloned().collect();
                    let silent_inside: Option<BTreeSet<ImportedClass>> =
                        (silent_if.as_ref()).filter(|_| head.is_silent).map(with_bases);
                    if classes.is_empty() && silent_inside.as_ref().is_some_and(BTreeSet::is_empty) {
                        silent_classes.insert(head.name.clone());
                    }
                    if classes.is_empty() {
                        let known = read.made_from.entry(head.name.clone()).or_insert(Some(BTreeSet::new()));
                        *known = known
                            .take()
                            .zip(silent_inside.clone())
                            .map(|(one, other)| &one | &other);
                    }
                    read.list.push(LoadedStatement {
                        kind: StatementKind::Class,
                        silent_if: silent_if.as_ref().map(with_bases),
                        ..statement_of(head.text, head.binds_alone.then(|| Bindings::of(head.name)))
                    });
                    let body = PlacedNode::alone(definition).child(definition.child_by_field_name("body")?);
                    open.push((body, within, silent_inside));
                    continue;
                }
                if let Some(imports) = imports(statement, source) {
                    let alone = imports.into_iter().map(|mut import| {
                        let text = std::mem::take(&mut import.text);
                        statement_of(text, Some(import.bindings()))
                    });
                    read.list.extend(alone);
                    continue;
                }
                read.list.push(LoadedStatement {
                    kind: match definition.kind() {
                        "function_definition" => StatementKind::Function,
                        _ => StatementKind::Other,
                    },
                    with_types: loading_text(placed, source, StatedTypes::Kept)?,
                    ..statement_of(
                        loading_text(placed, source, StatedTypes::LeftOut)?,
                        bindings(definition, &decorators, scope),
                    )
                });
            }
        }
        Some(read)
    }

    /// True if no statement does more than to bind names.
    pub(super) fn only_bind(&self) -> bool {
        // Of one made of a class of another source, that source decides.
        let is_of_other_source = |statement: &LoadedStatement| {
            statement.kind == StatementKind::Class
                && (statement.silent_if.as_ref()).is_some_and(|others| !others.is_empty())
        };
        (self.list.iter()).all(|statement| statement.binds.is_some() && !is_of_other_source(statement))
    }

    /// The names that some statements bind, if they do nothing else.
    pub(super) fn bound_names(&self, are_meant: impl Fn(&LoadedStatement) -> bool) -> BTreeSet<String> {
        let meant = self.list.iter().filter(|statement| are_meant(statement));
        let bindings = meant.filter_map(|statement| statement.binds.as_ref());
        bindings.flat_map(|bindings| bindings.names.iter().cloned()).collect()
    }

    /// How many statements beside another one may bind a name, itself among them.
    pub(super) fn count_of(&self, name: &str, statement: &LoadedStatement) -> usize {
        self.binding(name, statement).count()
    }

    /// The statements beside another one that may bind a name.
    fn binding<'s>(
        &'s self,
        name: &'s str,
        statement: &'s LoadedStatement,
    ) -> impl Iterator<Item = &'s LoadedStatement> {
        let beside = self.list.iter().filter(|other| other.classes == statement.classes);
        beside.filter(|other| other.may_bind(name))
    }

    /// The names that are asked for by statements which may do more than to bind names, or which nobody follows names through.
    pub(super) fn names_asked_by_statements(&self) -> BTreeSet<&str> {
        let is_followed = |statement: &&LoadedStatement| {
            let bindings = statement.binds.as_ref();
            // The decorators of a function stand outside its lines.
            let is_decorated = statement.text.starts_with("decorated_definition");
            bindings.is_some_and(|bindings| {
                let tells = || bindings.names.iter().all(|name| TELLING.contains(&name.as_str()));
                bindings.beside_comparison.is_some() && !is_decorated || !bindings.modules.is_empty() || tells()
            })
        };
        let others = self.list.iter().filter(|statement| !is_followed(statement));
        // Who is given a function may look at its types.
        let texts = others.map(|statement| match statement.binds {
            Some(_) => &statement.text,
            None => &statement.with_types,
        });
        texts.flat_map(|text| words_of(text)).collect()
    }

    /// True if only statements of one text bind a name.
    pub(super) fn binds_only_by(&self, name: &str, statement: &LoadedStatement) -> bool {
        self.binding(name, statement).all(|other| other.text == statement.text)
    }
}

struct ClassHead {
    name: String,
    text: String,
    /// True if making the class calls nothing but what the language does for every class.
    binds_alone: bool,
    is_silent: bool,
    /// The bases that other sources define: what this one says of the class holds if it holds of them.
    other_bases: BTreeSet<ImportedClass>,
}

/// `known` are the silent classes before it.
fn class_head(
    class: Node<'_>,
    decorators: &[Node<'_>],
    known: &BTreeSet<String>,
    scope: Scope<'_>,
) -> Option<ClassHead> {
    let source = scope.source;
    let text_of = |node: Node<'_>| source.get(node.byte_range());
    let name = text_of(class.child_by_field_name("name")?)?.to_owned();
    // No text of another statement begins so.
    let mut text = format!("class {name}");
    for decorator in decorators {
        text.push_str(&loading_text(PlacedNode::alone(*decorator), source, StatedTypes::Kept)?);
    }
    let mut bases = Vec::new();
    if let Some(arguments) = class.child_by_field_name("superclasses")
        && !names_no_base(arguments, source)
    {
        text.push_str(&loading_text(PlacedNode::alone(arguments), source, StatedTypes::Kept)?);
        let mut cursor = arguments.walk();
        bases = (arguments.named_children(&mut cursor))
            .filter(|base| base.kind() != "comment")
            .collect();
    }
    let parameters = class.child_by_field_name("type_parameters");
    if let Some(parameters) = parameters {
        text.push_str(text_of(parameters)?);
    }
    let base_name = |base: &Node<'_>| {
        let base = match base.kind() {
            "subscript" => base.child_by_field_name("value").unwrap_or(*base),
            _ => *base,
        };
        text_of(base).unwrap_or_default()
    };
    let is_silent_base = |base: &Node<'_>| {
        [&BUILT_IN_ERRORS[..], &SILENT_BASES]
            .iter()
            .any(|silent| scope.is_one_of(silent, base_name(base)))
            || known.contains(base_name(base))
    };
    let is_abstract = |name: &str| {
        let modules = ["", "abc.", "collections.abc."].into_iter();
        modules
            .filter_map(|module| name.strip_prefix(module))
            .any(|name| ABSTRACT_COLLECTIONS.contains(&name))
            && scope.is_one_of(&[name], name)
    };
    let tells_nobody = |base: &Node<'_>| {
        let name = base_name(base);
        is_silent_base(base) || scope.is_one_of(&LOOKING_BASES, name) || is_abstract(name)
    };
    let of_other_source = |base: &Node<'_>| {
        let is_class = base.kind() != "keyword_argument" && !tells_nobody(base);
        scope.imported_class(base_name(base)).filter(|_| is_class)
    };
    let is_of_other_source = |base: &Node<'_>| of_other_source(base).is_some();
    let other_bases = bases.iter().filter_map(of_other_source).collect();
    let is_silent_decorator = |decorator: &Node<'_>| {
        decorator_name(*decorator, source).is_some_and(|name| scope.is_one_of(&SILENT_CLASS_DECORATORS, name))
    };
    Some(ClassHead {
        name,
        text,
        binds_alone: decorators.iter().all(is_silent_decorator)
            && bases.iter().all(|base| tells_nobody(base) || is_of_other_source(base)),
        is_silent: decorators.is_empty()
            && bases
                .iter()
                .all(|base| is_silent_base(base) || is_of_other_source(base)),
        other_bases,
    })
}

/// The names of a statement that lists those for who takes all; `Some(None)` if they are not written there. `None` for another
/// statement.
fn exported_names(statement: Node<'_>, source: &str) -> Option<Option<BTreeSet<String>>> {
    let text = |node: Node<'_>| source.get(node.byte_range());
    let assignment = statement
        .named_child(0)
        .filter(|_| statement.kind() == "expression_statement")?;
    let left = assignment.child_by_field_name("left")?;
    if text(left)? != "__all__" {
        return None;
    }
    let names = || {
        let list = assignment.child_by_field_name("right")?;
        if assignment.kind() != "assignment" || !matches!(list.kind(), "list" | "tuple") {
            return None;
        }
        let mut cursor = list.walk();
        let items = list.named_children(&mut cursor).filter(|item| item.kind() != "comment");
        items
            .map(|item| {
                let content =
                    (item.kind() == "string" && item.named_child_count() == 3).then(|| item.named_child(1))??;
                (content.kind() == "string_content").then(|| text(content).map(str::to_owned))?
            })
            .collect()
    };
    Some(names())
}
