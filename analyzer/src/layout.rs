//! A path and the manifests above it → the crate and modules, or packages, around what a file defines, so that a function
//! has the name that a profile gives it. Reads manifests only, and leaves the rules to each language.

use std::sync::Arc;

use crate::languages::{Language, languages};
use crate::sources::FileSource;

/// The module that a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModulePath {
    /// From the top level down, for example the crate, then modules.
    pub segments: Vec<String>,
    /// Separator between segments.
    pub separator: &'static str,
}

impl ModulePath {
    /// The full name of something inside.
    #[must_use]
    pub fn name(&self, inside: &[String]) -> Arc<str> {
        let mut name = self.segments.join(self.separator);
        for segment in inside {
            if !name.is_empty() {
                name.push_str(self.separator);
            }
            name.push_str(segment);
        }
        name.into()
    }

    /// The full name of something inside, by segments.
    #[must_use]
    pub fn path(&self, inside: &[String]) -> Vec<String> {
        self.segments.iter().chain(inside).cloned().collect()
    }
}

/// The module of each file of one version, in one language.
pub(crate) trait ModuleLayout {
    /// The segments of the module that a file is, from the top level down.
    fn module_path(&self, path: &str) -> Vec<String>;
}

/// The layout of one version in every language.
pub struct SourceLayout<'t> {
    languages: Vec<(Language, Box<dyn ModuleLayout + 't>)>,
}

impl<'t> SourceLayout<'t> {
    /// The layout of a version.
    #[must_use]
    pub fn new(tree: &'t dyn FileSource) -> Self {
        Self {
            languages: languages()
                .map(|language| (language, language.support().module_layout(tree)))
                .collect(),
        }
    }

    /// The module that a source file is.
    #[must_use]
    pub fn module(&self, path: &str, language: Language) -> ModulePath {
        let layout = self.languages.iter().find(|(known, _)| *known == language);
        ModulePath {
            segments: layout.map_or_else(Vec::new, |(_, layout)| layout.module_path(path)),
            separator: language.support().separator(),
        }
    }
}

/// A few files by path.
#[cfg(test)]
pub(crate) struct TestFiles(pub(crate) Vec<(&'static str, &'static str)>);

#[cfg(test)]
fn content_id(text: &str) -> crate::sources::ContentId {
    let digest = blake3::hash(text.as_bytes());
    crate::sources::ContentId(*digest.as_bytes().first_chunk().expect("a digest is longer"))
}

#[cfg(test)]
impl FileSource for TestFiles {
    fn file(&self, path: &str) -> Option<crate::sources::Blob> {
        let (_, text) = self.0.iter().find(|(name, _)| *name == path)?;
        Some(crate::sources::Blob {
            id: content_id(text),
            content: crate::sources::SourceContent::Bytes(text.as_bytes().into()),
        })
    }

    fn all_files(&self) -> Option<Vec<crate::sources::ListedFile>> {
        let listed = self.0.iter().map(|(path, text)| crate::sources::ListedFile {
            path: (*path).into(),
            id: content_id(text),
        });
        Some(listed.collect())
    }
}
