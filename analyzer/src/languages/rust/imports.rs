//! The target of a `use` declaration and the module around it → the same target from the crate down.

/// Resolves `crate`, `self` and `super`. The standard library has one name here.
pub(super) fn resolve_import(module: &[String], target: &[String]) -> Vec<String> {
    let mut target = target.to_vec();
    match target.first().map(String::as_str) {
        Some("crate") => target[0].clone_from(&module[0]),
        Some("core" | "alloc") => "std".clone_into(&mut target[0]),
        Some("self" | "super") => {
            let ups = target.iter().take_while(|segment| *segment == "super").count();
            let names = target
                .iter()
                .position(|segment| segment != "self" && segment != "super");
            let mut resolved = module[..module.len().saturating_sub(ups)].to_vec();
            resolved.extend_from_slice(&target[names.unwrap_or(target.len())..]);
            return resolved;
        }
        _ => {}
    }
    target
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(target: &str) -> String {
        let segments = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
        resolve_import(&segments("lib::scan"), &segments(target)).join("::")
    }

    #[test]
    fn targets_begin_at_the_crate() {
        assert_eq!(resolved("crate::words"), "lib::words");
        assert_eq!(resolved("self::words"), "lib::scan::words");
        assert_eq!(resolved("super::words"), "lib::words");
        assert_eq!(resolved("core::mem::take"), "std::mem::take");
        assert_eq!(resolved("other::words"), "other::words");
    }
}
