//! Symbols and names from debug information → one canonical name per source function: `crate::module::Type::method`,
//! the same for every copy of a generic function.
//!
//! Works on text alone: a part that a symbol does not contain (the type behind `{impl#3}`) is left out, not guessed.

/// Deepest nesting of types that is followed; deeper types are cut.
const DEEPEST: usize = 48;

/// The start of every symbol of C++.
const CPP_PREFIX: &str = "_Z";

/// The start of the name of an overloaded operator or of a conversion.
const OPERATOR: &str = "operator";

/// Suffixes that compilers append to a C function's name when they split, clone or specialise it.
const CLONE_SUFFIXES: [&str; 6] = [".llvm.", ".cold", ".part.", ".constprop.", ".isra.", ".lto_priv."];

/// Returns the canonical name of a symbol, mangled (v0 or legacy) or not.
///
/// - generic arguments and legacy hashes are gone;
/// - a method of a trait implementation is named by the implementing type, through references: `<&foo::Bar<T> as
///   core::fmt::Display>::fmt` is `foo::Bar::fmt`; where that type is a bare parameter (`<T as
///   core::convert::Into<U>>::into`), by the trait;
/// - methods of built-in types: `slice::get`, `array::map`, `str::len`, `u64::pow`, `pointer::read`,
///   `tuple::eq`, `fn::call_once`;
/// - closures are `function::{closure}`, whatever their number;
/// - a function of C++ is named like one of Rust, without the types of its parameters;
/// - a C function keeps its name, without symbol version and clone suffix.
#[must_use]
pub fn canonical(symbol: &str) -> String {
    let symbol = symbol.trim();
    match rustc_demangle::try_demangle(symbol) {
        Ok(name) => path(&format!("{name:#}"), DEEPEST).join("::"),
        Err(_) if let Some(name) = cpp_name(symbol, Parameters::LeftOut) => cpp_path(&name),
        Err(_) if symbol.contains("::") || symbol.starts_with('<') => {
            let name = path(symbol, DEEPEST).join("::");
            if name.is_empty() { symbol.to_owned() } else { name }
        }
        Err(_) => c_name(symbol).to_owned(),
    }
}

/// Returns a readable name with its generic arguments, for patterns on names to match.
#[must_use]
pub fn demangled(symbol: &str) -> String {
    match rustc_demangle::try_demangle(symbol) {
        Ok(name) => format!("{name:#}"),
        Err(_) => cpp_name(symbol, Parameters::Written).unwrap_or_else(|| c_name(symbol).to_owned()),
    }
}

/// Whether a name of C++ has its parameters, which tell overloads apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parameters {
    Written,
    LeftOut,
}

/// The readable name behind a symbol of C++; `None` for any other symbol.
fn cpp_name(symbol: &str, parameters: Parameters) -> Option<String> {
    let symbol = c_name(symbol);
    if !symbol.starts_with(CPP_PREFIX) {
        return None;
    }
    let options = cpp_demangle::DemangleOptions::new()
        .no_return_type()
        .hide_expression_literal_types();
    let options = match parameters {
        Parameters::Written => options,
        Parameters::LeftOut => options.no_params(),
    };
    let parsed = cpp_demangle::Symbol::new(symbol).ok()?;
    parsed.demangle_with_options(&options).ok()
}

/// The canonical form of a readable name of C++: template arguments and anonymous namespaces are gone, and a lambda is a
/// closure of the function around it. An operator keeps its sign.
fn cpp_path(name: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let name = name.trim_end_matches(" const");
    let operator = name.find(OPERATOR).filter(|at| *at == 0 || name[..*at].ends_with("::"));
    let (above, last) = name.split_at(operator.unwrap_or(name.len()));
    for part in path(above, DEEPEST) {
        match part.as_str() {
            "{lambda}" => parts.push("{closure}".to_owned()),
            "{unnamed}" | "{anonymous}" => {}
            _ => parts.push(part),
        }
    }
    let is_call_of_a_closure = parts.last().is_some_and(|part| part == "{closure}") && last.starts_with("operator()");
    if !last.is_empty() && !is_call_of_a_closure {
        parts.push(without_arguments_of_template(last).to_owned());
    }
    match parts.is_empty() {
        true => name.to_owned(),
        false => parts.join("::"),
    }
}

/// `operator<< <char>` → `operator<<`.
fn without_arguments_of_template(operator: &str) -> &str {
    match operator.find(" <").filter(|_| operator.ends_with('>')) {
        Some(at) => &operator[..at],
        None => operator,
    }
}

/// `memcpy@@GLIBC_2.14` → `memcpy`, `sort.constprop.0` → `sort`.
fn c_name(symbol: &str) -> &str {
    let symbol = match symbol.find('@') {
        Some(0) | None => symbol,
        Some(at) => &symbol[..at],
    };
    let end = CLONE_SUFFIXES
        .iter()
        .filter_map(|suffix| symbol.find(suffix))
        .filter(|at| *at > 0)
        .min()
        .unwrap_or(symbol.len());
    &symbol[..end]
}

/// Splits a path into its canonical parts.
fn path(text: &str, depth: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    if depth == 0 {
        return parts;
    }
    for segment in split(text, "::") {
        let segment = segment.trim();
        if let Some(inner) = segment.strip_prefix('<') {
            let inner = inner.strip_suffix('>').unwrap_or(inner);
            if let Some(implementation) = inner.strip_prefix("impl ") {
                let (of_trait, of_type) = match split_word(implementation, " for ") {
                    Some((name, implementing)) => (Some(name), implementing),
                    None => (None, implementation),
                };
                if let Some(named) = type_parts(of_type, depth - 1) {
                    parts = named;
                } else if let Some(name) = of_trait {
                    parts = path(name, depth - 1);
                }
            } else if parts.is_empty() {
                let (of_type, of_trait) = match split_word(inner, " as ") {
                    Some((implementing, name)) => (implementing, Some(name)),
                    None => (inner, None),
                };
                parts = match (type_parts(of_type, depth - 1), of_trait) {
                    (Some(named), _) => named,
                    (None, Some(name)) => path(name, depth - 1),
                    (None, None) => vec![of_type.to_owned()],
                };
            }
            // otherwise generic arguments: `collect::<Vec<u8>>`
        } else if segment.starts_with('{') {
            if let Some(part) = braced(segment) {
                parts.push(part);
            }
        } else {
            let end = segment.find(['<', '(']).unwrap_or(segment.len());
            let word = segment[..end].trim();
            if !word.is_empty() {
                parts.push(word.to_owned());
            }
        }
    }
    parts
}

/// `{closure#3}` and `{{closure}}` → `{closure}`; `None` for parts that do not name a source item.
fn braced(segment: &str) -> Option<String> {
    let word = segment.trim_matches(['{', '}']);
    let end = word.find(['#', ':', '(', '.']).unwrap_or(word.len());
    match word[..end].trim() {
        "" | "impl" | "shim" | "vtable" | "extern" | "size limit reached" => None,
        "closure_env" => Some("{closure}".to_owned()),
        word => Some(format!("{{{word}}}")),
    }
}

/// The parts of a type's name; `None` for a bare type parameter.
fn type_parts(text: &str, depth: usize) -> Option<Vec<String>> {
    if depth == 0 {
        return None;
    }
    let text = text.trim();
    let built_in = |name: &str| Some(vec![name.to_owned()]);
    match text.as_bytes().first()? {
        b'&' => {
            let mut target = text[1..].trim_start();
            if target.starts_with('\'') {
                target = target.split_once(' ').map_or("", |(_, rest)| rest);
            }
            let target = target.strip_prefix("mut ").unwrap_or(target);
            type_parts(target, depth - 1)
        }
        b'*' => built_in("pointer"),
        b'[' => {
            let inner = text[1..].strip_suffix(']').unwrap_or(&text[1..]);
            built_in(if split_word(inner, ";").is_some() {
                "array"
            } else {
                "slice"
            })
        }
        b'(' => built_in(if text == "()" { "unit" } else { "tuple" }),
        b'!' => built_in("never"),
        _ => {
            if let Some(object) = text.strip_prefix("dyn ") {
                let object = split_word(object, " + ").map_or(object, |(first, _)| first);
                let object = strip_binder(object);
                return some(path(object, depth - 1));
            }
            let plain = strip_binder(text);
            let plain = plain.strip_prefix("unsafe ").unwrap_or(plain);
            if plain.starts_with("extern ") || plain.starts_with("fn(") {
                return built_in("fn");
            }
            let parts = path(plain, depth - 1);
            match parts.as_slice() {
                [only] if is_parameter(only) => None,
                _ => some(parts),
            }
        }
    }
}

/// `for<'a> fn(&'a T)` → `fn(&'a T)`.
fn strip_binder(text: &str) -> &str {
    match text.strip_prefix("for<") {
        Some(rest) => rest.split_once("> ").map_or(text, |(_, rest)| rest),
        None => text,
    }
}

/// True for a path of one word that is not built in, which must be a type parameter: everything else starts with its
/// crate.
fn is_parameter(word: &str) -> bool {
    !is_primitive(word)
}

/// True for the types that the language itself defines.
#[must_use]
pub fn is_primitive(word: &str) -> bool {
    matches!(
        word,
        "bool"
            | "char"
            | "str"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "f16"
            | "f32"
            | "f64"
            | "f128"
    )
}

fn some(parts: Vec<String>) -> Option<Vec<String>> {
    (!parts.is_empty()).then_some(parts)
}

/// Splits at a separator outside all brackets.
fn split<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for at in outside_brackets(text) {
        if at >= start && text.as_bytes()[at..].starts_with(separator.as_bytes()) {
            pieces.push(&text[start..at]);
            start = at + separator.len();
        }
    }
    pieces.push(&text[start..]);
    pieces
}

/// Splits once, at the first separator outside all brackets.
fn split_word<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    outside_brackets(text)
        .find(|at| text.as_bytes()[*at..].starts_with(separator.as_bytes()))
        .map(|at| (&text[..at], &text[at + separator.len()..]))
}

/// Positions of the ASCII bytes outside all brackets; the `>` of `->` closes none.
fn outside_brackets(text: &str) -> impl Iterator<Item = usize> + '_ {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    bytes.iter().enumerate().filter_map(move |(at, byte)| {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && byte.is_ascii() => return Some(at),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::canonical;

    #[test]
    fn generic_arguments_and_hashes_are_gone() {
        for (symbol, name) in [
            ("_ZN5count5words17h78681b22241cf2abE", "count::words"),
            (
                "_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h55a0bea3b5400008E",
                "alloc::vec::Vec::push",
            ),
            (
                "_RINvMNtCsgEmfK2I1SDS_4core4boolb4thenlNvNtNtNtNtCsjrHSEGnQ3l9_3std3sys2io5error4unix5errnoEBK_",
                "bool::then",
            ),
            (
                "_RINvNtCsgEmfK2I1SDS_4core3ptr11write_bytesNtNtNtCslhJMPQjvccJ_4libc4unix10linux_like11sockaddr_unECsjrHSEGnQ3l9_3std",
                "core::ptr::write_bytes",
            ),
            ("foo::bar::<alloc::vec::Vec<u8>, fn(u8) -> u8>", "foo::bar"),
        ] {
            assert_eq!(canonical(symbol), name, "{symbol}");
        }
    }

    #[test]
    fn methods_are_named_by_the_implementing_type() {
        for (symbol, name) in [
            ("<foo::Bar<T> as core::fmt::Display>::fmt", "foo::Bar::fmt"),
            ("<&mut foo::Bar as core::fmt::Display>::fmt", "foo::Bar::fmt"),
            ("<&'a foo::Bar as core::fmt::Display>::fmt", "foo::Bar::fmt"),
            ("<dyn foo::Shape + core::marker::Send>::area", "foo::Shape::area"),
            ("foo::inner::<impl bar::Trait for foo::Type<A>>::go", "foo::Type::go"),
            ("core::str::<impl str>::split", "str::split"),
            ("<[T] as core::convert::AsRef<[T]>>::as_ref", "slice::as_ref"),
            ("<[u8; 4]>::map", "array::map"),
            ("<(A, B) as core::cmp::PartialEq>::eq", "tuple::eq"),
            ("<*const T>::read", "pointer::read"),
            ("<fn(u8) -> foo::X as core::ops::Fn<()>>::call", "fn::call"),
            ("<T as core::convert::Into<U>>::into", "core::convert::Into::into"),
            ("<u32 as core::convert::Into<u64>>::into", "u32::into"),
            (
                "_ZN106_$LT$core..ops..range..Range$LT$usize$GT$$u20$as$u20$core..slice..index..SliceIndex$LT$$u5b$T$u5d$$GT$$GT$9index_mut17hfce330e35b716999E",
                "core::ops::range::Range::index_mut",
            ),
            (
                "_RNvXs1k_NtCslNYArtu3iFV_5alloc6stringNtB6_6StringNtNtCsgEmfK2I1SDS_4core3cmp3Ord3cmp",
                "alloc::string::String::cmp",
            ),
            (
                "_RNvMsv_NtCsgEmfK2I1SDS_4core3numj14from_str_radix",
                "usize::from_str_radix",
            ),
        ] {
            assert_eq!(canonical(symbol), name, "{symbol}");
        }
    }

    #[test]
    fn closures_lose_their_number_and_implementation_numbers_vanish() {
        assert_eq!(canonical("foo::run::{closure#2}"), "foo::run::{closure}");
        assert_eq!(canonical("foo::run::{{closure}}"), "foo::run::{closure}");
        assert_eq!(
            canonical("foo::run::{closure#2}::{closure#0}"),
            "foo::run::{closure}::{closure}"
        );
        assert_eq!(canonical("foo::{impl#3}::go"), "foo::go");
        assert_eq!(
            canonical("<foo::run::{closure#1} as core::ops::FnOnce<()>>::call_once::{shim:vtable#0}"),
            "foo::run::{closure}::call_once"
        );
    }

    #[test]
    fn functions_of_cpp_are_named_by_their_namespaces_and_classes() {
        for (symbol, name) in [
            ("_ZN3foo3BarIiE4pushERKi", "foo::Bar::push"),
            ("_ZNK3foo3Bar4sizeEv", "foo::Bar::size"),
            ("_ZN12_GLOBAL__N_14nameEi", "name"),
            ("_ZN3BarC2Ev", "Bar::Bar"),
            ("_ZN3BarD1Ev", "Bar::~Bar"),
            ("_ZN3BarixEm", "Bar::operator[]"),
            ("_ZNK3BarltERKS_", "Bar::operator<"),
            ("_ZN3BarclEi", "Bar::operator()"),
            ("_Z4sortIiEvPT_", "sort"),
            ("_ZZ3runvENKUliE_clEi", "run::{closure}"),
            (
                "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
                "std::operator<<",
            ),
        ] {
            assert_eq!(canonical(symbol), name, "{symbol}");
        }
    }

    #[test]
    fn c_functions_keep_their_name() {
        assert_eq!(canonical("memcpy@@GLIBC_2.14"), "memcpy");
        assert_eq!(canonical("sort_pairs.constprop.0"), "sort_pairs");
        assert_eq!(canonical("main"), "main");
        assert_eq!(canonical("(below main)"), "(below main)");
        assert_eq!(canonical(".cold"), ".cold");
    }

    proptest! {
        #[test]
        fn any_text_has_a_name(text in any::<String>()) {
            prop_assert!(canonical(&text).len() <= text.len().max(1 << 20) * 2);
        }

        #[test]
        fn any_brackets_have_a_name(text in "[<>(){}\\[\\]:&*'; a-c,+#-]{0,60}|(_R|_ZN)[A-Za-z0-9_$.]{0,60}") {
            prop_assert!(canonical(&text).len() <= text.len().max(1 << 20) * 2);
        }

        #[test]
        fn a_canonical_path_stays_as_it_is(text in "[a-z]{1,5}(::[a-zA-Z_]{1,9}){1,4}(::\\{closure\\})?") {
            prop_assert_eq!(canonical(&text), text);
        }
    }
}
