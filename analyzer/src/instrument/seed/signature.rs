//! A function's signature → whether the function can be called twice, or copied.

// Over syn's enums, not our own.
#![allow(clippy::wildcard_enum_match_arm)]

use syn::{Attribute, FnArg, ReceiverKind, ReturnType, Signature, Type};

use super::definitions::ParameterPassing;

/// How each parameter is passed, if the function can be called twice.
pub(super) fn passing(signature: &Signature) -> Option<Vec<ParameterPassing>> {
    let gives = match &signature.output {
        ReturnType::Default => false,
        ReturnType::Type(_, ty) => match &**ty {
            Type::Never(_) | Type::ImplTrait(_) => false,
            Type::Tuple(tuple) => !tuple.elems.is_empty(),
            Type::Reference(reference) => reference.mutability.is_none(),
            _ => true,
        },
    };
    if !gives || !is_ordinary(signature) {
        return None;
    }
    let of = |argument: &FnArg| match argument {
        FnArg::Receiver(receiver) => matches!(receiver.kind, ReceiverKind::Reference(_, _, None)).then_some(None),
        FnArg::Typed(typed) => match &*typed.ty {
            Type::Reference(reference) if reference.mutability.is_none() => Some(Some(ParameterPassing::Shared)),
            ty if is_plain(ty) => Some(Some(ParameterPassing::Value)),
            _ => None,
        },
    };
    let all: Option<Vec<Option<ParameterPassing>>> = signature.inputs.iter().map(of).collect();
    Some(all?.into_iter().flatten().collect())
}

/// Neither `const`, nor `async`, nor `unsafe`, nor of another language.
pub(super) fn is_ordinary(signature: &Signature) -> bool {
    signature.constness.is_none()
        && signature.asyncness.is_none()
        && matches!(signature.safety, syn::Safety::Default)
        && signature.abi.is_none()
}

/// True if the linker knows the function by a name that a copy cannot share.
pub(super) fn is_exported(attributes: &[Attribute]) -> bool {
    const EXPORTING: [&str; 4] = ["no_mangle", "export_name", "link_section", "unsafe"];
    attributes
        .iter()
        .any(|attribute| EXPORTING.iter().any(|name| attribute.path().is_ident(name)))
}

/// Numbers, `bool` and `char`.
pub(super) fn is_plain(ty: &Type) -> bool {
    const PLAIN: [&str; 16] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
        "usize",
    ];
    matches!(ty, Type::Path(path) if path.qself.is_none()
        && PLAIN.iter().any(|name| path.path.is_ident(name)))
}
