//! Types, paths and attributes of syn's tree → the short names that the model keeps.

use syn::{Attribute, Meta, Pat, Path, Type, TypeParamBound, Visibility};

use super::cfg_conditions::never_holds;
use super::language::RustLanguageConfig;

/// The last segment of a type, without generics and references; empty where there is none.
pub(crate) fn type_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => last_segment(&path.path),
        Type::Reference(inner) => type_name(&inner.elem),
        Type::Ptr(inner) => type_name(&inner.elem),
        Type::Paren(inner) => type_name(&inner.elem),
        Type::Group(inner) => type_name(&inner.elem),
        Type::Slice(slice) => format!("[{}]", type_name(&slice.elem)),
        Type::Array(array) => format!("[{}]", type_name(&array.elem)),
        Type::TraitObject(object) => object.bounds.iter().find_map(bound_name).unwrap_or_default(),
        Type::ImplTrait(object) => object.bounds.iter().find_map(bound_name).unwrap_or_default(),
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let names: Vec<String> = tuple.elems.iter().map(type_name).collect();
            format!("({})", names.join(", "))
        }
        Type::FnPtr(_) => "fn".to_owned(),
        Type::Never(_) => "!".to_owned(),
        _ => String::new(),
    }
}

fn bound_name(bound: &TypeParamBound) -> Option<String> {
    match bound {
        TypeParamBound::Trait(bound) => Some(last_segment(&bound.path)),
        _ => None,
    }
}

/// The last segment of a path, without generics.
pub(crate) fn last_segment(path: &Path) -> String {
    path.segments
        .last()
        .map_or_else(String::new, |segment| segment.ident.to_string())
}

/// True for names that by convention are types, variants and constants.
pub(crate) fn is_capitalised(name: &str) -> bool {
    name.trim_start_matches("r#")
        .trim_start_matches('_')
        .starts_with(char::is_uppercase)
}

/// True if a function is visible outside its module.
pub(crate) fn is_public(visibility: &Visibility) -> bool {
    match visibility {
        Visibility::Public(_) => true,
        Visibility::Restricted(to) => !to.path.is_ident("self"),
        _ => false,
    }
}

/// The name that a plain pattern binds; empty for others.
pub(crate) fn pattern_name(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(name) => name.ident.to_string(),
        Pat::Type(typed) => pattern_name(&typed.pat),
        Pat::Reference(inner) => pattern_name(&inner.pat),
        _ => String::new(),
    }
}

/// True for an attribute that says where a module stands, perhaps under a condition, or whether its macros hold behind it.
pub(crate) fn decides_on_a_module(attribute: &Attribute) -> bool {
    let decides = |path: &syn::Path| path.is_ident("path") || path.is_ident("macro_use");
    let Meta::List(list) = &attribute.meta else {
        return decides(attribute.path());
    };
    let parts = list.parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated);
    let is_conditional = list.path.is_ident("cfg_attr");
    decides(&list.path)
        || is_conditional && parts.map_or(true, |parts| parts.iter().skip(1).any(|part| decides(part.path())))
}

/// True if an attribute can change generated code. A conditional one can if one of those that it stands for can.
pub(crate) fn is_costly(attribute: &Attribute, words: &RustLanguageConfig) -> bool {
    is_costly_meta(&attribute.meta, words)
}

fn is_costly_meta(meta: &Meta, words: &RustLanguageConfig) -> bool {
    let path = meta.path();
    if let Meta::List(list) = meta
        && path.is_ident("cfg_attr")
    {
        let parts = list.parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated);
        return parts.map_or(true, |parts| {
            let never = parts.first().is_some_and(never_holds);
            !never && parts.iter().skip(1).any(|part| is_costly_meta(part, words))
        });
    }
    let first = path
        .segments
        .first()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default();
    let last = last_segment(path);
    !words.free_attributes.contains(first.as_str()) && !words.free_attributes.contains(last.as_str())
}
