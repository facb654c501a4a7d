//! A function's full name → its parts: package, module, type and its own name.
//!
//! Goes by how names are written: in Rust, a segment that begins with a capital is a type.

/// A name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FunctionNameParts<'n> {
    /// The crate; what has none is [`NATIVE`].
    pub(super) package: &'n str,
    /// The modules below it, as written.
    pub(super) module: Option<&'n str>,
    /// The type whose method it is.
    pub(super) of_type: Option<&'n str>,
    /// The function's own name; closures and what is inside of functions with the function around them.
    pub(super) label: &'n str,
}

/// The package of symbols that no package is known of, as those of the system's libraries.
pub(super) const NATIVE: &str = "native";

/// Takes a name apart. The file of an external function begins with its package, which methods of built-in types
/// (`slice::get`) do not name.
pub(super) fn parts<'n>(name: &'n str, external_file: Option<&'n str>) -> FunctionNameParts<'n> {
    let (outer, of_type, label) = match type_in(name) {
        Some((start, end)) => (
            name[..start].trim_end_matches("::"),
            Some(&name[start..end]),
            &name[end + 2..],
        ),
        None => {
            let own = own_start(name);
            (name[..own].trim_end_matches("::"), None, &name[own..])
        }
    };
    let (package, module) = match outer.split_once("::") {
        Some((package, module)) => (package, Some(module)),
        None => (outer, None),
    };
    let named = match external_file.and_then(package_of_file) {
        // `slice::get`, of a file of core
        Some(of_file) if module.is_none() && of_type.is_none() && package != of_file => {
            return FunctionNameParts {
                package: of_file,
                module: None,
                of_type: Some(package).filter(|word| !word.is_empty()),
                label,
            };
        }
        _ if package.is_empty() => NATIVE,
        _ => package,
    };
    FunctionNameParts {
        package: named,
        module,
        of_type,
        label,
    }
}

/// Where the function's own name starts: at the last segment that is neither a closure nor inside of one.
fn own_start(name: &str) -> usize {
    let closure = name.find("::{").unwrap_or(name.len());
    name[..closure].rfind("::").map_or(0, |at| at + 2)
}

fn is_type(segment: &str) -> bool {
    segment.chars().next().is_some_and(char::is_uppercase)
}

/// Where the first segment that is a type begins and ends; the last segment is the function.
fn type_in(name: &str) -> Option<(usize, usize)> {
    let closure = name.find("::{").unwrap_or(name.len());
    let mut start = 0;
    for segment in name[..closure].split("::") {
        let end = start + segment.len();
        if is_type(segment) && end < closure {
            return Some((start, end));
        }
        start = end + 2;
    }
    None
}

/// `memchr-2.7.4/src/lib.rs` → `memchr`: versions of a package are one package. Of a path of the machine, nothing.
fn package_of_file(file: &str) -> Option<&str> {
    let folder = file.split('/').next().filter(|folder| !folder.is_empty())?;
    let versioned =
        (folder.match_indices('-')).find(|(at, _)| folder[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    Some(versioned.map_or(folder, |(at, _)| &folder[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, file: Option<&str>) -> String {
        let parts = parts(name, file);
        let of = |part: Option<&str>| part.unwrap_or("-").to_owned();
        format!(
            "{} | {} | {} | {}",
            parts.package,
            of(parts.module),
            of(parts.of_type),
            parts.label
        )
    }

    #[test]
    fn a_name_is_package_modules_type_and_function() {
        assert_eq!(
            shown("semver::parse::Version::new", None),
            "semver | parse | Version | new"
        );
        assert_eq!(shown("semver::a::b::f", None), "semver | a::b | - | f");
        assert_eq!(shown("semver::f", None), "semver | - | - | f");
        assert_eq!(shown("semver::Version::new", None), "semver | - | Version | new");
        assert_eq!(
            shown("semver::a::Version::lt::call_mut", None),
            "semver | a | Version | lt::call_mut"
        );
        assert_eq!(
            shown("harness::run", Some("/home/x/src/main.rs")),
            "harness | - | - | run"
        );
    }

    #[test]
    fn closures_stay_with_their_function() {
        assert_eq!(
            shown("semver::f::{closure}::{closure}", None),
            "semver | - | - | f::{closure}::{closure}"
        );
    }

    #[test]
    fn methods_of_built_in_types_are_in_the_package_of_their_file() {
        assert_eq!(
            shown("slice::get", Some("core/src/slice/mod.rs")),
            "core | - | slice | get"
        );
        assert_eq!(
            shown("memchr::memmem::find", Some("memchr-2.7.4/src/memmem/mod.rs")),
            "memchr | memmem | - | find"
        );
        assert_eq!(
            shown("memchr::find", Some("memchr-2.7.4/src/lib.rs")),
            "memchr | - | - | find"
        );
    }

    #[test]
    fn symbols_without_a_package_are_native() {
        assert_eq!(shown("memcpy", None), "native | - | - | memcpy");
        assert_eq!(shown("", None), "native | - | - | ");
    }
}
