//! A type or a trait's method → an implementation that a developer would write by hand, with a place for work in it.

use std::ops::Range;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Fields, FnArg, Generics, Pat, ReceiverKind, ReturnType, Type, parse_quote};

use super::item_sites::WORK_HERE;
use super::signature::is_ordinary;
use super::snippet::pretty;
use super::spans::{lines, range};
use crate::syntax::LineRange;

/// The derives that are written by hand: what they call is called in hot code, and the result does not depend on how.
const WRITTEN: [&str; 2] = ["Clone", "PartialEq"];

/// A struct or an enum.
pub(super) struct TypeDefinition<'t> {
    pub(super) attributes: &'t [Attribute],
    pub(super) ident: &'t Ident,
    generics: &'t Generics,
    body: TypeBody<'t>,
}

enum TypeBody<'t> {
    Struct(&'t Fields),
    Enum(Vec<(&'t Ident, &'t Fields)>),
}

/// A derive that can be written by hand.
pub(super) struct HandwrittenDerive {
    pub(super) of_trait: String,
    /// The attribute.
    pub(super) at: Range<usize>,
    pub(super) lines: LineRange,
    /// The attribute without the trait.
    pub(super) without: String,
    pub(super) implementation: String,
}

impl<'t> TypeDefinition<'t> {
    pub(super) fn of_struct(item: &'t syn::ItemStruct) -> Self {
        Self {
            attributes: &item.attrs,
            ident: &item.ident,
            generics: &item.generics,
            body: TypeBody::Struct(&item.fields),
        }
    }

    pub(super) fn of_enum(item: &'t syn::ItemEnum) -> Self {
        Self {
            attributes: &item.attrs,
            ident: &item.ident,
            generics: &item.generics,
            body: TypeBody::Enum(item.variants.iter().map(|v| (&v.ident, &v.fields)).collect()),
        }
    }

    /// False if a part of it may be left out of the build, or its fields cannot be borrowed.
    fn is_plain(&self) -> bool {
        let is_conditional = |attributes: &[Attribute]| {
            attributes
                .iter()
                .any(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("repr"))
        };
        let all_plain = |fields: &Fields| !fields.iter().any(|field| is_conditional(&field.attrs));
        !is_conditional(self.attributes)
            && match &self.body {
                TypeBody::Struct(fields) => all_plain(fields),
                TypeBody::Enum(variants) => {
                    !variants.is_empty() && variants.iter().all(|(_, fields)| all_plain(fields))
                }
            }
    }
}

/// The traits that a type derives, by their last names.
pub(super) fn derived_traits(attributes: &[Attribute]) -> Vec<String> {
    attributes
        .iter()
        .filter_map(traits)
        .flatten()
        .filter_map(|path| Some(path.segments.last()?.ident.to_string()))
        .collect()
}

fn traits(attribute: &Attribute) -> Option<Punctuated<syn::Path, syn::Token![,]>> {
    if !attribute.path().is_ident("derive") {
        return None;
    }
    attribute.parse_args_with(Punctuated::parse_terminated).ok()
}

/// The derives of a type that can be written by hand.
pub(super) fn derives(definition: &TypeDefinition<'_>) -> Vec<HandwrittenDerive> {
    let mut found = Vec::new();
    if !definition.is_plain() {
        return found;
    }
    for attribute in definition.attributes {
        let Some(traits) = traits(attribute) else { continue };
        for written in WRITTEN {
            let others: Vec<&syn::Path> = traits.iter().filter(|path| !path.is_ident(written)).collect();
            if others.len() == traits.len() {
                continue;
            }
            let names: Vec<String> = others
                .iter()
                .map(|path| quote!(#path).to_string().replace(' ', ""))
                .collect();
            found.push(HandwrittenDerive {
                of_trait: written.to_owned(),
                at: range(attribute.span()),
                lines: lines(attribute.span()),
                without: match names.is_empty() {
                    true => String::new(),
                    false => format!("#[derive({})]", names.join(", ")),
                },
                implementation: pretty(&match written {
                    "Clone" => clone(definition),
                    _ => equality(definition),
                }),
            });
        }
    }
    found
}

fn work() -> TokenStream {
    let work = format_ident!("{WORK_HERE}");
    quote!(#work;)
}

/// The generics of an implementation that asks each type parameter for a trait, as a derive does.
fn bounded(generics: &Generics, of_trait: &TokenStream) -> Generics {
    let mut bounded = generics.clone();
    let parameters: Vec<Ident> = generics
        .type_params()
        .map(|parameter| parameter.ident.clone())
        .collect();
    if !parameters.is_empty() {
        let predicates = &mut bounded.make_where_clause().predicates;
        predicates.extend(
            parameters
                .iter()
                .map(|name| -> syn::WherePredicate { parse_quote!(#name: #of_trait) }),
        );
    }
    bounded
}

fn clone(definition: &TypeDefinition<'_>) -> TokenStream {
    let (name, work) = (definition.ident, work());
    let generics = bounded(definition.generics, &quote!(Clone));
    let (parameters, arguments, condition) = generics.split_for_impl();
    let value =
        match &definition.body {
            TypeBody::Struct(fields) => {
                let members: Vec<syn::Member> = fields.members().collect();
                quote!(Self { #(#members: Clone::clone(&self.#members)),* })
            }
            TypeBody::Enum(variants) => {
                let arms = variants.iter().map(|(variant, fields)| {
                let members: Vec<syn::Member> = fields.members().collect();
                let bound: Vec<Ident> = (0..members.len()).map(|number| format_ident!("value_{number}")).collect();
                quote! {
                    Self::#variant { #(#members: #bound),* } => Self::#variant { #(#members: Clone::clone(#bound)),* },
                }
            });
                quote!(match self { #(#arms)* })
            }
        };
    quote! {
        impl #parameters Clone for #name #arguments #condition {
            fn clone(&self) -> Self { #work #value }
        }
    }
}

fn equality(definition: &TypeDefinition<'_>) -> TokenStream {
    let (name, work) = (definition.ident, work());
    let generics = bounded(definition.generics, &quote!(PartialEq));
    let (parameters, arguments, condition) = generics.split_for_impl();
    let all = |equal: Vec<TokenStream>| match equal.is_empty() {
        true => quote!(true),
        false => quote!(#(#equal)&&*),
    };
    let value = match &definition.body {
        TypeBody::Struct(fields) => {
            let equal = fields.members().map(|member| quote!(self.#member == other.#member));
            all(equal.collect())
        }
        TypeBody::Enum(variants) => {
            let arms = variants.iter().map(|(variant, fields)| {
                let members: Vec<syn::Member> = fields.members().collect();
                let names = |side: &str| -> Vec<Ident> {
                    (0..members.len())
                        .map(|number| format_ident!("{side}_{number}"))
                        .collect()
                };
                let (one, two) = (names("one"), names("two"));
                let equal = all(one.iter().zip(&two).map(|(one, two)| quote!(#one == #two)).collect());
                quote! {
                    (Self::#variant { #(#members: #one),* }, Self::#variant { #(#members: #two),* }) => #equal,
                }
            });
            quote!(match (self, other) { #(#arms)* #[allow(unreachable_patterns)] _ => false })
        }
    };
    quote! {
        impl #parameters PartialEq for #name #arguments #condition {
            fn eq(&self, other: &Self) -> bool { #work #value }
        }
    }
}

/// An implementation of `Drop`.
pub(super) fn drop(definition: &TypeDefinition<'_>) -> String {
    let (name, work) = (definition.ident, work());
    let (parameters, arguments, condition) = definition.generics.split_for_impl();
    pretty(&quote! {
        impl #parameters Drop for #name #arguments #condition {
            fn drop(&mut self) { #work }
        }
    })
}

/// A method of a type itself that works, and then calls the trait's method of the same name. `None` if that may not
/// compile: only names can be handed on, and only a reference to the value, or the value, can be the receiver.
pub(super) fn shadow(item: &syn::ItemImpl, method: &syn::ImplItemFn) -> Option<String> {
    let (of_trait, _) = item.trait_.as_ref()?;
    let mut signature = method.sig.clone();
    let is_own = matches!(&*item.self_ty, Type::Path(path) if path.qself.is_none() && path.path.segments.len() == 1);
    let receiver = signature.receiver()?;
    if !is_own || !is_ordinary(&signature) || matches!(receiver.kind, ReceiverKind::Typed(..)) {
        return None;
    }
    let mut handed_on = vec![quote!(self)];
    for argument in &mut signature.inputs {
        match argument {
            FnArg::Receiver(receiver) => receiver.mutability = None,
            FnArg::Typed(typed) => {
                let Pat::Ident(name) = &mut *typed.pat else { return None };
                (name.by_ref, name.mutability) = (None, None);
                let name = &name.ident;
                handed_on.push(quote!(#name));
            }
        }
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && matches!(**ty, Type::ImplTrait(_))
    {
        return None;
    }
    QualifiedTypes(of_trait).visit_signature_mut(&mut signature);
    let (parameters, _, condition) = item.generics.split_for_impl();
    let (owner, work, name) = (&item.self_ty, work(), &signature.ident);
    Some(pretty(&quote! {
        impl #parameters #owner #condition {
            /// Works before it does the same as the trait's method.
            pub #signature { #work <Self as #of_trait>::#name(#(#handed_on),*) }
        }
    }))
}

/// Writes `Self::Item` as `<Self as Trait>::Item`: outside of the trait's implementation the short form means nothing.
struct QualifiedTypes<'t>(&'t syn::Path);

impl VisitMut for QualifiedTypes<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        if let Type::Path(path) = ty
            && path.qself.is_none()
            && path.path.segments.len() == 2
            && path.path.segments[0].ident == "Self"
        {
            let (of_trait, name) = (self.0, &path.path.segments[1]);
            *ty = parse_quote!(<Self as #of_trait>::#name);
        }
    }
}
