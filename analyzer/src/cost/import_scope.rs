//! A file that imports a name for itself → the files that may take the name over.

use memchr::memmem;

use crate::cost::scanned_files::ScannedFile;
use crate::syntax::{ItemKind, ParseCache, SyntaxItem};

/// The files that may take over what a file imports for itself: its own, and the modules below it.
pub(super) struct ImportScope<'n> {
    file: &'n str,
    /// The folder of the modules below it.
    modules: &'n str,
}

impl<'n> ImportScope<'n> {
    /// The scope of a file's imports; `None` if any file may be in it: where files are pulled in by their path, folders
    /// say nothing of modules.
    pub(super) fn of(file: &'n str, scanned: &[ScannedFile]) -> Option<Self> {
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
        let pulled_in = format!("{name}\"");
        let is_by_path = |other: &ScannedFile| {
            let path_ends = match *other.path == *file {
                true => ".rs\"",
                false => &pulled_in,
            };
            memmem::find(&other.bytes, path_ends.as_bytes()).is_some()
        };
        let modules = match name {
            "lib.rs" | "main.rs" | "mod.rs" => folder,
            _ => file.trim_end_matches(".rs"),
        };
        (!scanned.iter().any(is_by_path)).then_some(Self { file, modules })
    }

    /// True if a file may take over a name: it imports the name or everything, or writes a path to it.
    pub(super) fn holds(&self, file: &ScannedFile, word: &str, parser: &ParseCache) -> bool {
        if *file.path == *self.file {
            return true;
        }
        let below = match self.modules.is_empty() {
            true => Some(&*file.path),
            false => file
                .path
                .strip_prefix(self.modules)
                .and_then(|rest| rest.strip_prefix('/')),
        };
        let imports = |item: &SyntaxItem| matches!(&item.kind, ItemKind::Import { target } if target.last().is_some_and(|last| last == word || last == "*"));
        let has_path = || memmem::find(&file.bytes, format!("::{word}").as_bytes()).is_some();
        below.is_some() && (has_path() || file.source(parser).items.iter().any(imports))
    }
}
