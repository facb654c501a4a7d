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
    let is_one = |known: &String| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == known,
    };
    let of_systems = SYSTEMS.systems.values().chain(SYSTEMS.machines.values()).flatten();
    SYSTEMS.compilers.iter().chain(of_systems).any(is_one)
}
