//! The sources of versions beside a sample → the names that each asks for, read once for all versions that have it.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use super::{IdleFunctions, Sample};
use crate::languages::{AskedNames, Language};
use crate::sources::{ContentId, FileSource};
use crate::syntax::lru_cache::LruCache;

/// Bytes of sources whose names are kept.
pub(super) const KEPT_SOURCES: usize = 20 << 20;

/// What sources ask for, by path, content and language.
pub(super) type KnownNames = Mutex<LruCache<(Box<str>, ContentId, Language), Arc<SourceNames>>>;

/// The names of one source.
#[derive(Debug)]
pub(super) struct SourceNames {
    /// The functions that were asked about, and whether each is idle: where this differs, other names are asked for.
    idle: Vec<(Box<str>, bool)>,
    /// `None` if the source cannot be read.
    names: Option<Arc<AskedNames>>,
}

impl Sample {
    /// The names that the source at `path` of a version asks for, without those of idle functions; `None` if they are not known.
    pub(crate) fn asked_names(
        &self,
        (path, tree): (&str, &dyn FileSource),
        language: Language,
        idle: &IdleFunctions,
    ) -> Option<Arc<AskedNames>> {
        let key = (Box::from(path), tree.id(path)?, language);
        let known = || self.source_names.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &Arc<SourceNames>| {
            known
                .idle
                .iter()
                .all(|(name, was_idle)| idle.has(path, name) == *was_idle)
        };
        let found = known().find(&key);
        if let Some(found) = found.filter(is_same) {
            return found.names.clone();
        }
        let bytes = tree.bytes(path)?;
        let source = std::str::from_utf8(&bytes).ok()?;
        let asked = RefCell::new(Vec::new());
        let is_idle = |name: &str| {
            let is_idle = idle.has(path, name);
            asked.borrow_mut().push((Box::from(name), is_idle));
            is_idle
        };
        let names = language.support().asked_names(source, &is_idle).map(Arc::new);
        let found = SourceNames {
            idle: asked.into_inner(),
            names: names.clone(),
        };
        known().insert(key, Arc::new(found), source.len());
        names
    }
}
