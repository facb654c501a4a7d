//! The manifests among the sources → the package of each file, and whether the file can hold probes.

use std::collections::BTreeMap;

use profile::probes::ProbeSourceRoot;

use crate::sources::{Blob, ContentId, FileSource, SourceContent};

/// Sources as a file tree, for the layout.
pub(super) struct SourceRootFiles<'a>(pub(super) &'a ProbeSourceRoot);

impl FileSource for SourceRootFiles<'_> {
    fn file(&self, path: &str) -> Option<Blob> {
        let text = self.0.files.get(path)?;
        Some(Blob {
            // No cache uses this id.
            id: ContentId([0; 20]),
            content: SourceContent::Bytes(text.as_bytes().into()),
        })
    }
}

/// The packages of a root by folder.
pub(super) struct ProbePackageIndex(BTreeMap<String, ProbePackage>);

/// The relevant properties of a package.
pub(super) struct ProbePackage {
    folder: String,
    edition_2015: bool,
    runs_in_the_compiler: bool,
    build_script: Option<String>,
}

impl ProbePackageIndex {
    /// Reads the manifests.
    pub(super) fn of(root: &ProbeSourceRoot) -> Self {
        let manifests = root.files.iter().filter_map(|(path, text)| {
            let folder = match path.strip_suffix("Cargo.toml")? {
                "" => "",
                folder => folder.strip_suffix('/')?,
            };
            Some((folder.to_owned(), package(folder, text)?))
        });
        Self(manifests.collect())
    }

    /// The nearest package around a file.
    pub(super) fn of_file(&self, path: &str) -> Option<&ProbePackage> {
        let mut folder = path;
        loop {
            folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
            match self.0.get(folder) {
                Some(package) => return Some(package),
                None if folder.is_empty() => return None,
                None => {}
            }
        }
    }
}

impl ProbePackage {
    /// False for code that runs during the build.
    pub(super) fn is_probed(&self, path: &str) -> bool {
        let below = path
            .strip_prefix(self.folder.as_str())
            .unwrap_or(path)
            .trim_start_matches('/');
        !self.runs_in_the_compiler && self.build_script.as_deref() != Some(below)
    }

    /// True where a dependency has no name unless the root of the crate declares it.
    pub(super) fn needs_extern_crate(&self) -> bool {
        self.edition_2015
    }
}

fn package(folder: &str, manifest: &str) -> Option<ProbePackage> {
    let manifest: toml::Table = toml::from_str(manifest).ok()?;
    let package = manifest.get("package")?;
    let edition_2015 = match package.get("edition") {
        None => true,
        Some(edition) => edition.as_str() == Some("2015"),
    };
    let library = manifest.get("lib");
    let is_set = |name: &str| {
        library
            .and_then(|library| library.get(name))
            .and_then(toml::Value::as_bool)
            .unwrap_or(false)
    };
    let build_script = match package.get("build") {
        Some(toml::Value::String(path)) => Some(path.clone()),
        Some(toml::Value::Boolean(false)) => None,
        _ => Some("build.rs".to_owned()),
    };
    Some(ProbePackage {
        folder: folder.to_owned(),
        edition_2015,
        runs_in_the_compiler: is_set("proc-macro") || is_set("proc_macro"),
        build_script,
    })
}
