//! A function of syn's tree → [`SyntaxFunction`]: signature, attributes and digests here, its body in
//! [`super::expression`].

use std::sync::Arc;

use syn::{Attribute, Block, FnArg, Item, Pat, ReturnType, Signature, Visibility};

use super::cfg_conditions::is_excluded_from_build;
use super::items::RustFileLowering;
use super::source_positions::SourcePositions;
use super::syn_names::{is_costly, is_public, pattern_name, type_name};
use crate::syntax::builder::FunctionBuilder;
use crate::syntax::digest::TokenDigester;
use crate::syntax::model::{SyntaxFunction, SyntaxParameter, TokenDigest};
use crate::syntax::tokens::{ByteRange, TokenizedSource};

/// Where a function stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct RustScope {
    /// Modules, types and functions around it.
    pub(crate) path: Vec<String>,
    pub(crate) owner: Option<String>,
    pub(crate) of_trait: Option<String>,
    pub(crate) test_only: bool,
    /// True inside a trait or an implementation of one: visible wherever the trait is.
    pub(crate) public: bool,
}

/// The parts of a function, wherever it stands.
#[derive(Clone, Copy)]
pub(crate) struct FunctionParts<'a> {
    pub(crate) attributes: &'a [Attribute],
    pub(crate) visibility: Option<&'a Visibility>,
    pub(crate) signature: &'a Signature,
    pub(crate) body: &'a Block,
}

/// Lowers the body of one function.
pub(crate) struct RustBodyLowering<'f, 's> {
    pub(crate) positions: &'f SourcePositions<'s>,
    pub(crate) tokens: &'f TokenizedSource<'s>,
    pub(crate) builder: FunctionBuilder<'f, 's>,
    /// Functions and types inside, lowered after it. Copied, because some come out of a macro's arguments,
    /// which nobody else keeps.
    pub(crate) inner: Vec<Item>,
}

/// Lowers a function and what stands inside it, and returns its place.
pub(crate) fn function(file: &mut RustFileLowering<'_, '_>, parts: FunctionParts<'_>, place: &RustScope) -> ByteRange {
    let signature = parts.signature;
    let name = signature.ident.to_string();
    let mut path = place.path.clone();
    path.push(name);
    let braces = parts.body.brace_token.span;
    let body_range = ByteRange::new(file.positions.start(braces.open()), file.positions.end(braces.close()));
    let start = function_start(file.positions, parts);
    let whole = ByteRange::new(start, body_range.end);

    let mut lowering = RustBodyLowering {
        positions: file.positions,
        tokens: file.tokens,
        builder: FunctionBuilder::new(file.tokens, file.tokens.lines(body_range)),
        inner: Vec::new(),
    };
    let mut parameters = Vec::new();
    let mut has_receiver = false;
    for argument in &signature.inputs {
        match argument {
            FnArg::Receiver(_) => has_receiver = true,
            FnArg::Typed(typed) => {
                lowering.bind(&typed.pat);
                let parameter = SyntaxParameter {
                    name: pattern_name(&typed.pat),
                    type_name: type_name(&typed.ty),
                };
                if !parameter.name.is_empty() {
                    lowering.builder.hint(&parameter.name, &parameter.type_name);
                }
                parameters.push(parameter);
            }
        }
    }
    lowering.block(parts.body);
    let RustBodyLowering { builder, inner, .. } = lowering;
    let body = builder.finish();
    file.nodes += body.nodes;

    let test_only = place.test_only || is_excluded_from_build(parts.attributes);
    let attributes = attributes(file, parts.attributes);
    let returns = match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(type_name(ty)).filter(|name| !name.is_empty()),
    };
    let function = SyntaxFunction {
        path: path.clone(),
        owner: place.owner.clone(),
        of_trait: place.of_trait.clone(),
        parameters,
        has_receiver,
        returns,
        is_precomputed: false,
        signature: signature_digest(file, parts),
        digest: digest(file, parts, &attributes, body_range),
        attributes,
        public: place.public || parts.visibility.is_some_and(is_public),
        test_only,
        locals: body.hints,
        blocks: body.blocks,
        lines: file.tokens.lines(whole),
    };
    file.functions.push(Arc::new(function));

    let inside = RustScope {
        path,
        test_only,
        ..RustScope::default()
    };
    for item in &inner {
        file.item(item, &inside);
    }
    whole
}

/// From the first attribute or keyword; documentation is no attribute here, it was blanked.
fn function_start(positions: &SourcePositions<'_>, parts: FunctionParts<'_>) -> u32 {
    if let Some(attribute) = parts.attributes.first() {
        return positions.start(attribute.pound_token.span);
    }
    match parts.visibility {
        Some(Visibility::Public(token)) => return positions.start(token.span),
        Some(Visibility::Restricted(to)) => return positions.start(to.pub_token.span),
        _ => {}
    }
    signature_start(positions, parts.signature)
}

fn signature_start(positions: &SourcePositions<'_>, signature: &Signature) -> u32 {
    let first = signature.constness.map(|token| token.span);
    let first = first.or(signature.asyncness.map(|token| token.span));
    let first = first.or(match signature.safety {
        syn::Safety::Safe(token) => Some(token.span),
        syn::Safety::Unsafe(token) => Some(token.span),
        _ => None,
    });
    let first = first.or(signature.abi.as_ref().map(|abi| abi.extern_token.span));
    positions.start(first.unwrap_or(signature.fn_token.span))
}

/// Attributes that the compiler's output depends on, sorted.
pub(crate) fn attributes(file: &RustFileLowering<'_, '_>, attributes: &[Attribute]) -> Vec<String> {
    let mut texts: Vec<String> = attributes
        .iter()
        .filter(|attribute| is_costly(attribute, file.words))
        .map(|attribute| {
            let inside = file.positions.inside(attribute.bracket_token.span);
            file.tokens.plain(inside)
        })
        .collect();
    texts.sort();
    texts
}

/// Types and qualifiers of the signature, without names of parameters.
fn signature_digest(file: &RustFileLowering<'_, '_>, parts: FunctionParts<'_>) -> TokenDigest {
    let signature = parts.signature;
    let positions = file.positions;
    let name = positions.range(signature.ident.span());
    let end = positions.start(parts.body.brace_token.span.open());
    let mut without = vec![name];
    for argument in &signature.inputs {
        if let FnArg::Typed(typed) = argument {
            let start = match typed.attrs.first() {
                Some(attribute) => positions.start(attribute.pound_token.span),
                None => positions.pattern(&typed.pat).start,
            };
            without.push(ByteRange::new(start, positions.end(typed.colon_token.span)));
        }
    }
    let mut digester = TokenDigester::new();
    let range = ByteRange::new(signature_start(positions, signature), end);
    file.tokens.digest_into(&mut digester, range, &without);
    digester.finish()
}

/// Everything that can matter: attributes, the signature without the name, the body.
fn digest(
    file: &RustFileLowering<'_, '_>,
    parts: FunctionParts<'_>,
    attributes: &[String],
    body: ByteRange,
) -> TokenDigest {
    let mut digester = TokenDigester::new();
    for attribute in attributes {
        digester.token(attribute);
    }
    let start = signature_start(file.positions, parts.signature);
    let name = file.positions.range(parts.signature.ident.span());
    file.tokens
        .digest_into(&mut digester, ByteRange::new(start, body.end), &[name]);
    digester.finish()
}

impl<'s> RustBodyLowering<'_, 's> {
    /// Brings the names of a pattern into scope.
    pub(crate) fn bind(&mut self, pattern: &Pat) {
        match pattern {
            Pat::Ident(name) => {
                let range = self.positions.range(name.ident.span());
                let word = &self.tokens.source[range.start as usize..range.end as usize];
                // `None` and `MAX` in a pattern are no names.
                if !super::syn_names::is_capitalised(word) {
                    self.builder.bind(word);
                }
                if let Some((_, inner)) = &name.subpat {
                    self.bind(inner);
                }
            }
            Pat::Guard(guard) => self.bind(&guard.pat),
            // Every alternative binds the same names.
            Pat::Or(or) => or.cases.iter().take(1).for_each(|case| self.bind(case)),
            Pat::Paren(inner) => self.bind(&inner.pat),
            Pat::Reference(inner) => self.bind(&inner.pat),
            Pat::Type(typed) => self.bind(&typed.pat),
            Pat::Slice(slice) => slice.elems.iter().for_each(|element| self.bind(element)),
            Pat::Tuple(tuple) => tuple.elems.iter().for_each(|element| self.bind(element)),
            Pat::TupleStruct(tuple) => tuple.elems.iter().for_each(|element| self.bind(element)),
            Pat::Struct(fields) => fields.fields.iter().for_each(|field| self.bind(&field.pat)),
            _ => {}
        }
    }
}
