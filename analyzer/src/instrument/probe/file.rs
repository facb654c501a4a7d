//! One source → the same source with probes. Finds its functions and names them as the syntax model does.

use hashbrown::HashMap;
use std::str::FromStr;

use profile::probes::{ProbeFunction, ProbeFunctionIndex, ProbeMode, ProbeTable};
use syn::spanned::Spanned;
use syn::{Attribute, Block, Fields, ImplItem, Item, ItemImpl, Signature, TraitItem, UseTree};

use super::body::FunctionInstrumenter;
use super::insertions::{ProbeFragment, ProbeInsertions};
use crate::cost::PriceList;
use crate::languages::rust::lexer;
use crate::languages::rust::source_positions::SourcePositions;
use crate::languages::rust::syn_names::{last_segment, type_name};
use crate::syntax::limits::SHALLOW_DEPTH;

/// The context of a file, besides its text.
pub(crate) struct InstrumentationContext<'a> {
    /// Path as in profiles.
    pub(super) path: &'a str,
    pub(super) external: bool,
    /// Crate and modules.
    pub(super) module: &'a [String],
    /// True if it is the root of a crate whose edition wants `extern crate`.
    pub(super) names_crate: bool,
    /// Lines of functions that must not be probed, sorted.
    pub(super) avoided: &'a [u32],
    pub(super) costs: &'a PriceList,
    /// The deepest nesting that is processed.
    pub(super) depth: u32,
}

/// A file that is being probed.
pub(super) struct FileInstrumenter<'f> {
    pub(super) context: &'f InstrumentationContext<'f>,
    pub(super) positions: &'f SourcePositions<'f>,
    /// The source without comments.
    text: &'f str,
    pub(super) table: &'f mut ProbeTable,
    pub(super) edits: ProbeInsertions,
    /// Imported name → full path as written.
    pub(super) imports: HashMap<String, Vec<String>>,
    /// Type → field → the field's type.
    pub(super) fields: HashMap<String, HashMap<String, String>>,
    /// True if a line to avoid is outside of all functions: then nothing is probed.
    pub(super) avoided_whole: bool,
}

/// The scope around a function.
#[derive(Debug, Clone, Default)]
pub(super) struct ProbeEnclosingScope {
    /// Modules, types and functions.
    pub(super) path: Vec<String>,
    pub(super) owner: Option<String>,
}

/// The text with probes; `None` if there is nothing to probe.
pub(crate) fn instrument(
    text: &str,
    context: &InstrumentationContext<'_>,
    table: &mut ProbeTable,
) -> Result<Option<String>, String> {
    let (mark, source) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let lexed = lexer::lex(source);
    // Deeper files would need a larger stack.
    if lexed.depth > context.depth.min(SHALLOW_DEPTH) {
        return Err(format!("nested too deeply: {} levels", lexed.depth));
    }
    proc_macro2::extra::invalidate_current_thread_spans();
    let parsed = proc_macro2::TokenStream::from_str(&lexed.blanked)
        .map_err(|_| "not Rust".to_owned())
        .and_then(|tokens| {
            syn::parse2::<syn::File>(tokens).map_err(|error| {
                let at = error.span().start();
                format!("syntax error at {}:{}: {error}", at.line, at.column + 1)
            })
        });
    let out = parsed.map(|file| probe(&file, source, &lexed.blanked, context, table));
    proc_macro2::extra::invalidate_current_thread_spans();
    Ok(out?.map(|changed| format!("{mark}{changed}")))
}

fn probe(
    file: &syn::File,
    source: &str,
    blanked: &str,
    context: &InstrumentationContext<'_>,
    table: &mut ProbeTable,
) -> Option<String> {
    let positions = SourcePositions::new(blanked);
    let mut imports = HashMap::new();
    let mut fields = HashMap::new();
    for item in &file.items {
        match item {
            Item::Use(item) => imported(&item.tree, &mut Vec::new(), &mut imports),
            Item::Struct(item) => {
                fields.insert(item.ident.to_string(), fields_of(&item.fields));
            }
            _ => {}
        }
    }
    let mut probing = FileInstrumenter {
        context,
        positions: &positions,
        text: blanked,
        table,
        edits: ProbeInsertions::default(),
        imports,
        fields,
        avoided_whole: false,
    };
    let spans = function_lines(file);
    let outside = |line: &u32| !spans.iter().any(|(first, last)| (first..=last).contains(&line));
    probing.avoided_whole = context.avoided.iter().any(outside);
    for item in &file.items {
        probing.item(item, &ProbeEnclosingScope::default());
    }
    let first = file.items.first()?;
    if probing.edits.is_empty() {
        return None;
    }
    if context.names_crate {
        let at = positions.start(first.span());
        probing
            .edits
            .before(at, &[ProbeFragment::Text("extern crate lito_probe;")]);
    }
    let FileInstrumenter { edits, table, .. } = probing;
    Some(edits.apply(source, table))
}

impl FileInstrumenter<'_> {
    /// An item and the functions in it.
    pub(super) fn item(&mut self, item: &Item, around: &ProbeEnclosingScope) {
        match item {
            Item::Fn(item) => self.function(&item.attrs, &item.sig, &item.block, around),
            Item::Impl(item) => self.implementation(item, around),
            Item::Trait(item) => {
                let inside = ProbeEnclosingScope {
                    path: path_with(&around.path, item.ident.to_string()),
                    owner: None,
                };
                for item in &item.items {
                    if let TraitItem::Fn(method) = item
                        && let Some(body) = &method.default
                    {
                        self.function(&method.attrs, &method.sig, body, &inside);
                    }
                }
            }
            Item::Mod(item) => {
                let inside = ProbeEnclosingScope {
                    path: path_with(&around.path, item.ident.to_string()),
                    owner: None,
                };
                for item in item.content.iter().flat_map(|(_, items)| items) {
                    if let Item::Use(item) = item {
                        imported(&item.tree, &mut Vec::new(), &mut self.imports);
                    }
                    self.item(item, &inside);
                }
            }
            _ => {}
        }
    }

    fn implementation(&mut self, item: &ItemImpl, around: &ProbeEnclosingScope) {
        let of_trait = item.trait_.as_ref().map(|(path, _)| last_segment(path));
        // It runs inside every allocation, including those of the counters.
        if of_trait.as_deref() == Some("GlobalAlloc") {
            return;
        }
        let owner = type_name(&item.self_ty);
        let inside = ProbeEnclosingScope {
            path: path_with(&around.path, owner.clone()),
            owner: Some(owner),
        };
        for item in &item.items {
            if let ImplItem::Fn(method) = item {
                self.function(&method.attrs, &method.sig, &method.block, &inside);
            }
        }
    }

    fn function(
        &mut self,
        attributes: &[Attribute],
        signature: &Signature,
        block: &Block,
        around: &ProbeEnclosingScope,
    ) {
        let path = path_with(&around.path, signature.ident.to_string());
        let first = line(signature.fn_token.span);
        let last = line_of_end(block);
        let avoided = self.context.avoided.iter().any(|line| (first..=last).contains(line));
        let how = if signature.constness.is_some() {
            ProbeMode::Not("a const function cannot hold probes")
        } else if avoided || self.avoided_whole {
            ProbeMode::Not("it does not compile with probes")
        } else if signature.asyncness.is_some() {
            ProbeMode::Frameless
        } else {
            ProbeMode::Whole
        };
        let routine = is_routine(attributes, signature);
        let index = self.add_function(&path, first, how.clone(), routine);
        let inside = ProbeEnclosingScope {
            path: path.clone(),
            owner: None,
        };
        if let ProbeMode::Not(_) = how {
            for statement in &block.stmts {
                if let syn::Stmt::Item(item) = statement {
                    self.item(item, &inside);
                }
            }
            return;
        }
        let items = FunctionInstrumenter::new(self, index, path, around.owner.clone()).function(signature, block, &how);
        for item in &items {
            self.item(item, &inside);
        }
    }

    /// The `#[cfg(…)]` attributes that begin at an offset, each on one line.
    pub(super) fn conditions(&self, start: u32) -> Vec<ProbeFragment> {
        let mut found = Vec::new();
        let mut at = start as usize;
        while let Some(attribute) = attribute_at(self.text, at) {
            if attribute.starts_with("#[cfg(") {
                found.push(ProbeFragment::Repeated(attribute.replace(['\r', '\n'], " ")));
            }
            let last = at + attribute.len();
            let rest = &self.text[last..];
            at = last + (rest.len() - rest.trim_start().len());
        }
        found
    }

    /// A new function of the table.
    pub(super) fn add_function(
        &mut self,
        path: &[String],
        line: u32,
        how: ProbeMode,
        routine: bool,
    ) -> ProbeFunctionIndex {
        let index = u32::try_from(self.table.functions.len()).unwrap_or(u32::MAX);
        let name: Vec<&str> = self.context.module.iter().chain(path).map(String::as_str).collect();
        self.table.functions.push(ProbeFunction {
            name: name.join("::"),
            file: self.context.path.to_owned(),
            line,
            external: self.context.external,
            how,
            routine,
        });
        index
    }
}

/// The attribute that begins at an offset.
fn attribute_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    rest.strip_prefix("#[")?;
    let mut depth = 0;
    for (index, byte) in rest.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return Some(&rest[..=index]),
            b']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// True for `#[divan::bench]` on a function that does not take the framework's own handle.
fn is_routine(attributes: &[Attribute], signature: &Signature) -> bool {
    let is_bench = |attribute: &Attribute| last_segment(attribute.path()) == "bench";
    let has_handle = signature.inputs.iter().any(|input| match input {
        syn::FnArg::Typed(typed) => type_name(&typed.ty) == "Bencher",
        syn::FnArg::Receiver(_) => false,
    });
    attributes.iter().any(is_bench) && !has_handle
}

/// First and last line of every function, nested ones included.
fn function_lines(file: &syn::File) -> Vec<(u32, u32)> {
    struct FunctionLineCollector(Vec<(u32, u32)>);
    impl FunctionLineCollector {
        fn add(&mut self, signature: &Signature, block: &Block) {
            self.0.push((line(signature.fn_token.span), line_of_end(block)));
        }
    }
    impl<'ast> syn::visit::Visit<'ast> for FunctionLineCollector {
        fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
            self.add(&item.sig, &item.block);
        }
        fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
            self.add(&item.sig, &item.block);
        }
        fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
            if let Some(block) = &item.default {
                self.add(&item.sig, block);
            }
        }
    }
    let mut found = FunctionLineCollector(Vec::new());
    syn::visit::Visit::visit_file(&mut found, file);
    found.0
}

fn imported(tree: &UseTree, before: &mut Vec<String>, found: &mut HashMap<String, Vec<String>>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            imported(&path.tree, before, found);
            before.pop();
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                imported(tree, before, found);
            }
        }
        UseTree::Name(name) if name.ident == "self" => {
            if let Some(last) = before.last() {
                found.insert(last.clone(), before.clone());
            }
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            found.insert(name.clone(), path_with(before, name));
        }
        UseTree::Rename(name) => {
            let target = match name.ident.to_string().as_str() {
                "self" => before.clone(),
                own => path_with(before, own.to_owned()),
            };
            found.insert(name.rename.to_string(), target);
        }
        UseTree::Glob(_) => {}
    }
}

fn fields_of(fields: &Fields) -> HashMap<String, String> {
    let named = fields.iter().filter_map(|field| {
        let name = field.ident.as_ref()?.to_string();
        Some((name, type_name(&field.ty)))
    });
    named.collect()
}

pub(super) fn path_with(before: &[String], last: String) -> Vec<String> {
    before.iter().cloned().chain([last]).collect()
}

pub(super) fn line(span: proc_macro2::Span) -> u32 {
    u32::try_from(span.start().line).unwrap_or(u32::MAX)
}

fn line_of_end(block: &Block) -> u32 {
    line(block.brace_token.span.close())
}
