//! `cargo xtask new KIND NAME`: the stubs of a language, a framework, a profiler, a kind of change or a view, with the
//! tests that fail until they are filled in.
//!
//! Changes files of this checkout only, and refuses to overwrite one.

mod change_kind;
mod framework;
mod language;
mod profiler;
mod scaffold;
mod view;

const USAGE: &str = "usage: cargo xtask new language|framework|profiler|change-kind|view NAME";

/// Writes the stubs, and prints what to fill in.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let [kind, name] = arguments else {
        return Err(String::from(USAGE));
    };
    scaffold::check_name(name)?;
    match kind.as_str() {
        "language" => language::create(name),
        "framework" => framework::create(name),
        "profiler" => profiler::create(name),
        "change-kind" => change_kind::create(name),
        "view" => view::create(name),
        _ => Err(String::from(USAGE)),
    }
}
