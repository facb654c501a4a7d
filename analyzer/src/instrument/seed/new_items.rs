//! A kind of change without a changed call → new items that a new statement uses, before and after the change.
//!
//! The statement is in hot code and stays as it is. Only what it uses, or what the compiler adds to it, changes.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::planted_code::{PlantedCode, SnippetReturnKind};
use super::planted_kind::PlantedKind;
use super::snippet::{SnippetGenerator, pretty, statements};

/// The parts that the new statement uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewItem {
    /// A trait's method that a method of the type comes to shadow.
    ShadowedMethod,
    /// An alias of a type.
    Alias,
    /// A type under the name that an import gives it.
    Import,
    /// A type whose parameter has a default.
    TypeParameter,
    /// A value of a type that comes to have `Drop`.
    DroppedType,
    /// `*` of a type with `Deref`.
    DereferencedType,
    /// `+` of a type with `Add`.
    AddedType,
    /// `clone` of a type that derives it at first.
    ClonedType,
    /// A constant.
    Constant,
    /// A static.
    Static,
    /// An associated constant.
    AssociatedConstant,
    /// An array, by its length.
    Array,
    /// An enum's variant, by its number.
    Enumeration,
    /// A `const fn`.
    ConstFunction,
    /// A field that `Default` fills.
    DefaultedType,
    /// A macro.
    Macro,
}

/// The texts of a change to new items.
pub(super) struct NewItemSides {
    /// The statement in hot code.
    pub(super) statement: String,
    /// The items before the change.
    pub(super) before: String,
    /// The same items after it.
    pub(super) after: String,
    /// True if the items must stand before their use.
    pub(super) comes_first: bool,
}

impl NewItem {
    /// Every form.
    pub(super) const ALL: [Self; 16] = [
        Self::ShadowedMethod,
        Self::Alias,
        Self::Import,
        Self::TypeParameter,
        Self::DroppedType,
        Self::DereferencedType,
        Self::AddedType,
        Self::ClonedType,
        Self::Constant,
        Self::Static,
        Self::AssociatedConstant,
        Self::Array,
        Self::Enumeration,
        Self::ConstFunction,
        Self::DefaultedType,
        Self::Macro,
    ];

    /// The kind of change that is made with it.
    pub(super) const fn kind(self) -> PlantedKind {
        match self {
            Self::ShadowedMethod => PlantedKind::MethodShadowing,
            Self::Alias | Self::Import | Self::TypeParameter => PlantedKind::NameMeaning,
            Self::DroppedType => PlantedKind::DropAddition,
            Self::DereferencedType => PlantedKind::DerefImplementation,
            Self::AddedType => PlantedKind::OperatorImplementation,
            Self::ClonedType => PlantedKind::DeriveByHand,
            Self::Constant | Self::Static | Self::AssociatedConstant => PlantedKind::ConstantValue,
            Self::Array => PlantedKind::ArrayLength,
            Self::Enumeration => PlantedKind::Discriminant,
            Self::ConstFunction => PlantedKind::ConstFunction,
            Self::DefaultedType => PlantedKind::DefaultValue,
            Self::Macro => PlantedKind::MacroBody,
        }
    }

    /// Tells the forms apart in the choice of places, which depends on this text.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ShadowedMethod => "ShadowedMethod",
            Self::Alias => "Alias",
            Self::Import => "Import",
            Self::TypeParameter => "TypeParameter",
            Self::DroppedType => "DroppedType",
            Self::DereferencedType => "DereferencedType",
            Self::AddedType => "AddedType",
            Self::ClonedType => "ClonedType",
            Self::Constant => "Constant",
            Self::Static => "Static",
            Self::AssociatedConstant => "AssociatedConstant",
            Self::Array => "Array",
            Self::Enumeration => "Enumeration",
            Self::ConstFunction => "ConstFunction",
            Self::DefaultedType => "DefaultedType",
            Self::Macro => "Macro",
        }
    }

    /// The change, in one clause that goes on with the number of rounds.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::ShadowedMethod => "a new type's method shadows its trait's",
            Self::Alias => "an alias names a type that does more",
            Self::Import => "an import names a type that does more",
            Self::TypeParameter => "a type parameter's default is a type that does more",
            Self::DroppedType => "a new type implements `Drop`",
            Self::DereferencedType => "a new type's `Deref` does more",
            Self::AddedType => "a new type's `Add` does more",
            Self::ClonedType => "a new type's derived `Clone` is written by hand",
            Self::Constant => "a new constant has a larger value",
            Self::Static => "a new static has a larger value",
            Self::AssociatedConstant => "a new associated constant has a larger value",
            Self::Array => "a new array is longer",
            Self::Enumeration => "a new enum's variant has a larger number",
            Self::ConstFunction => "a new `const fn` gives a larger value",
            Self::DefaultedType => "a new type's default is larger",
            Self::Macro => "a new macro does more",
        }
    }

    /// The texts for a number of rounds of work after the change; before it, one round.
    pub(super) fn sides(self, scope: SnippetGenerator<'_>, rounds: u32) -> NewItemSides {
        let items = NewItemNames::of(scope);
        let function = scope.function(SnippetReturnKind::Number);
        let side = |is_changed: bool| {
            let written = pretty(&items.items(self, rounds, is_changed));
            format!("{function}\n{written}")
        };
        NewItemSides {
            statement: statements(&items.statement(self)),
            before: side(false),
            after: side(true),
            comes_first: self == Self::Macro,
        }
    }
}

/// The names of the new items.
struct NewItemNames {
    /// The function that does the work.
    work: proc_macro2::Ident,
    /// The type that the statement names.
    ty: proc_macro2::Ident,
    /// A module, a macro or a `const fn`.
    inner: proc_macro2::Ident,
    /// A constant.
    constant: proc_macro2::Ident,
    /// The path of `core`.
    core: TokenStream,
}

impl NewItemNames {
    fn of(scope: SnippetGenerator<'_>) -> Self {
        let camel = camel_case(scope.name);
        Self {
            work: format_ident!("{}", scope.name),
            ty: format_ident!("{camel}"),
            inner: format_ident!("{}_inner", scope.name),
            constant: format_ident!("{}", scope.name.to_uppercase()),
            core: scope.core(),
        }
    }

    /// The statement in hot code.
    fn statement(&self, item: NewItem) -> TokenStream {
        let Self {
            work,
            ty,
            inner,
            constant,
            core,
            ..
        } = self;
        match item {
            NewItem::ShadowedMethod => quote!(let _ = #ty.run();),
            NewItem::Alias | NewItem::Import => quote!(let _ = #ty::run();),
            NewItem::TypeParameter => quote!(let _ = <#ty>::run();),
            NewItem::DroppedType => {
                let value = format_ident!("_{work}");
                quote!(let #value = #ty;)
            }
            NewItem::DereferencedType => quote!(let _ = #core::hint::black_box(*#ty(1));),
            NewItem::AddedType => quote!(let _ = #core::hint::black_box(#ty(1) + #ty(2));),
            NewItem::ClonedType => quote!(let _ = #core::hint::black_box(#core::hint::black_box(&#ty(1)).clone());),
            NewItem::Constant | NewItem::Static => quote!(let _ = #work(#constant);),
            NewItem::AssociatedConstant => quote!(let _ = #work(#ty::ROUNDS);),
            NewItem::Array => quote!(let _ = #work(#constant.len() as u32);),
            NewItem::Enumeration => quote!(let _ = #work(#ty::Rounds as u32);),
            NewItem::ConstFunction => quote!(let _ = #work(#inner());),
            NewItem::DefaultedType => quote!(let _ = #work(#ty::default().rounds);),
            NewItem::Macro => quote!(#inner!();),
        }
    }

    /// The items of one side, for a number of rounds after the change.
    fn items(&self, item: NewItem, rounds: u32, is_changed: bool) -> TokenStream {
        let Self {
            work,
            ty,
            inner,
            constant,
            core,
            ..
        } = self;
        let few = Literal::u32_unsuffixed(1);
        let many = Literal::u32_unsuffixed(rounds);
        let rounds = if is_changed { &many } else { &few };
        match item {
            NewItem::ShadowedMethod => {
                let of_trait = format_ident!("{ty}Trait");
                let shadowing = is_changed.then(|| {
                    quote! {
                        impl #ty { fn run(&self) -> u32 { #work(#rounds) } }
                    }
                });
                quote! {
                    struct #ty;
                    #[allow(dead_code)]
                    trait #of_trait { fn run(&self) -> u32; }
                    impl #of_trait for #ty { fn run(&self) -> u32 { #work(#few) } }
                    #shadowing
                }
            }
            NewItem::Alias => {
                let (types, named) = (self.two_types(&many, &TokenStream::new()), self.named(is_changed));
                quote!(#types type #ty = #named;)
            }
            NewItem::Import => {
                let types = self.two_types(&many, &quote!(pub(super)));
                let named = self.named(is_changed);
                quote! {
                    mod #inner {
                        use super::#work;
                        #types
                    }
                    use self::#inner::#named as #ty;
                }
            }
            NewItem::TypeParameter => {
                let (types, named) = (self.two_types(&many, &TokenStream::new()), self.named(is_changed));
                let (one, other) = (self.named(false), self.named(true));
                quote! {
                    #types
                    #[allow(dead_code)]
                    struct #ty<T = #named>(#core::marker::PhantomData<T>);
                    #[allow(dead_code)]
                    impl #ty<#one> { fn run() -> u32 { #one::run() } }
                    #[allow(dead_code)]
                    impl #ty<#other> { fn run() -> u32 { #other::run() } }
                }
            }
            NewItem::DroppedType => {
                let dropping = is_changed.then(|| {
                    quote! {
                        impl Drop for #ty { fn drop(&mut self) { let _ = #work(#rounds); } }
                    }
                });
                quote! {
                    struct #ty;
                    #dropping
                }
            }
            NewItem::DereferencedType => {
                let working = is_changed.then(|| quote!(let _ = #work(#rounds);));
                quote! {
                    struct #ty(u32);
                    impl #core::ops::Deref for #ty {
                        type Target = u32;
                        fn deref(&self) -> &u32 { #working &self.0 }
                    }
                }
            }
            NewItem::AddedType => {
                let working = is_changed.then(|| quote!(let _ = #work(#rounds);));
                quote! {
                    struct #ty(u32);
                    impl #core::ops::Add for #ty {
                        type Output = u32;
                        fn add(self, other: Self) -> u32 { #working self.0 + other.0 }
                    }
                }
            }
            NewItem::ClonedType => match is_changed {
                true => quote! {
                    struct #ty(u32);
                    impl Clone for #ty {
                        fn clone(&self) -> Self { let _ = #work(#rounds); #ty(self.0) }
                    }
                },
                false => quote! {
                    #[derive(Clone)]
                    struct #ty(u32);
                },
            },
            NewItem::Constant => quote!(const #constant: u32 = #rounds;),
            NewItem::Static => quote!(static #constant: u32 = #rounds;),
            NewItem::AssociatedConstant => quote! {
                struct #ty;
                impl #ty { const ROUNDS: u32 = #rounds; }
            },
            NewItem::Array => quote!(static #constant: [u8; #rounds] = [0; #rounds];),
            NewItem::Enumeration => quote!(enum #ty { Rounds = #rounds }),
            NewItem::ConstFunction => quote!(const fn #inner() -> u32 { #rounds }),
            NewItem::DefaultedType => quote! {
                struct #ty { rounds: u32 }
                impl Default for #ty {
                    fn default() -> Self { #ty { rounds: #rounds } }
                }
            },
            NewItem::Macro => quote! {
                macro_rules! #inner {
                    () => { { let _ = #work(#rounds); } };
                }
            },
        }
    }

    /// The type that a name means, before and after.
    fn named(&self, is_changed: bool) -> proc_macro2::Ident {
        format_ident!("{}{}", self.ty, if is_changed { "Other" } else { "One" })
    }

    /// Two types with a function of one name: one does a round of work, the other as many as the change adds.
    fn two_types(&self, many: &Literal, visibility: &TokenStream) -> TokenStream {
        let work = &self.work;
        let of = |is_changed: bool, rounds: &Literal| {
            let name = self.named(is_changed);
            quote! {
                #[allow(dead_code)]
                #visibility struct #name;
                #[allow(dead_code)]
                impl #name {
                    #visibility fn run() -> u32 { #work(#rounds) }
                }
            }
        };
        let (one, other) = (of(false, &Literal::u32_unsuffixed(1)), of(true, many));
        quote!(#one #other)
    }
}

/// `extra_work` as the name of a type: `ExtraWork`.
pub(super) fn camel_case(name: &str) -> String {
    let capitalised = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    name.split('_').map(capitalised).collect()
}
