//! Names and headers of systems, machines and compilers, from `config/languages/cpp/systems.toml`; documented in the file itself.

use std::sync::LazyLock;

use hashbrown::HashMap;
use serde::Deserialize;

/// The contents of the file.
#[derive(Debug, Deserialize)]
pub(super) struct KnownSystems {
    pub(super) systems: HashMap<String, Vec<String>>,
    pub(super) machines: HashMap<String, Vec<String>>,
    pub(super) compilers: Vec<String>,
    pub(super) pragmas: Vec<String>,
    pub(super) headers: KnownHeaders,
    pub(super) quiet: HashMap<String, Vec<String>>,
}

/// Headers that ask for no name of a project.
#[derive(Debug, Deserialize)]
pub(super) struct KnownHeaders {
    pub(super) c: Vec<String>,
    pub(super) cpp: Vec<String>,
    pub(super) folders: Vec<String>,
}

pub(super) static SYSTEMS: LazyLock<KnownSystems> = LazyLock::new(|| {
    let text = include_str!("../../../config/languages/cpp/systems.toml");
    toml::from_str(text).unwrap_or_else(|error| panic!("config/languages/cpp/systems.toml: {error}"))
});

/// True for a name that compilers alone define, of this system or another one.
pub(super) fn is_of_compilers(name: &str) -> bool {
    let of_systems = SYSTEMS.systems.values().chain(SYSTEMS.machines.values()).flatten();
    SYSTEMS
        .compilers
        .iter()
        .chain(of_systems)
        .any(|known| is_like(name, known))
}

/// The macros that a header defines, as `*_MAX`; `None` for one that may declare more than macros and types.
pub(super) fn macros_of_header(header: &str) -> Option<&'static [String]> {
    SYSTEMS.quiet.get(header).map(Vec::as_slice)
}

/// True for a name that a text with a `*` at an end stands for.
pub(super) fn is_like(name: &str, text: &str) -> bool {
    match (text.strip_prefix('*'), text.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == text,
    }
}
