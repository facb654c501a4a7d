//! Objects → the files of a git repository, and a bundle with them, by git's own formats: also such as git itself would not
//! write.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha1::{Digest as _, Sha1};

/// The hash of an object.
pub(crate) type ObjectId = [u8; 20];

/// Kinds of objects, each with its number in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Commit = 1,
    Tree = 2,
    Blob = 3,
}

/// Objects by their hashes.
#[derive(Debug, Default)]
pub(crate) struct GitObjects(BTreeMap<ObjectId, (ObjectKind, Vec<u8>)>);

/// A folder of files, or a file.
#[derive(Debug)]
enum Entry {
    Folder(BTreeMap<Vec<u8>, Entry>),
    File(ObjectId),
}

impl GitObjects {
    /// Adds an object.
    pub(crate) fn add(&mut self, kind: ObjectKind, content: Vec<u8>) -> ObjectId {
        let id = Sha1::digest([header(kind, &content), content.clone()].concat()).into();
        self.0.insert(id, (kind, content));
        id
    }

    /// Adds files by their paths, with their folders. `change` may change the content of each folder.
    pub(crate) fn add_files(
        &mut self,
        files: &BTreeMap<Vec<u8>, Vec<u8>>,
        change: &mut dyn FnMut(Vec<u8>) -> Vec<u8>,
    ) -> ObjectId {
        let mut top = BTreeMap::new();
        for (path, content) in files {
            let id = self.add(ObjectKind::Blob, content.clone());
            let mut folder = &mut top;
            let mut names = path.split(|byte| *byte == b'/').peekable();
            while let Some(name) = names.next() {
                if names.peek().is_none() {
                    folder.insert(name.to_vec(), Entry::File(id));
                    break;
                }
                let next = (folder.entry(name.to_vec())).or_insert_with(|| Entry::Folder(BTreeMap::new()));
                match next {
                    Entry::Folder(next) => folder = next,
                    Entry::File(_) => break,
                }
            }
        }
        self.add_folder(&top, change)
    }

    fn add_folder(
        &mut self,
        folder: &BTreeMap<Vec<u8>, Entry>,
        change: &mut dyn FnMut(Vec<u8>) -> Vec<u8>,
    ) -> ObjectId {
        let mut entries: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for (name, entry) in folder {
            // Git sorts a folder as if its name ended in a slash.
            let (mode, end, id) = match entry {
                Entry::Folder(inner) => (&b"40000 "[..], &b"/"[..], self.add_folder(inner, change)),
                Entry::File(id) => (&b"100644 "[..], &b""[..], *id),
            };
            entries.push(([name, end].concat(), [mode, name, b"\0", &id].concat()));
        }
        entries.sort();
        let content = entries.into_iter().flat_map(|(_, entry)| entry).collect();
        self.add(ObjectKind::Tree, change(content))
    }

    /// Writes all objects into a repository's folder.
    pub(crate) fn write(&self, repository: &Path) -> io::Result<()> {
        for (id, (kind, content)) in &self.0 {
            let file = file_of(repository, *id);
            fs::create_dir_all(file.parent().unwrap_or(repository))?;
            fs::write(file, packed(&[header(*kind, content), content.clone()].concat())?)?;
        }
        Ok(())
    }

    /// A bundle of all objects, in which this commit is the store.
    pub(crate) fn bundle(&self, tip: ObjectId) -> io::Result<Vec<u8>> {
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let mut pack = [&b"PACK\0\0\0\x02"[..], &count.to_be_bytes()].concat();
        for (kind, content) in self.0.values() {
            let mut size = content.len();
            let mut byte = (*kind as u8) << 4 | (size & 15).to_le_bytes()[0];
            size >>= 4;
            while size > 0 {
                pack.push(byte | 0x80);
                byte = (size & 0x7f).to_le_bytes()[0];
                size >>= 7;
            }
            pack.push(byte);
            pack.extend(packed(content)?);
        }
        let sum = Sha1::digest(&pack);
        let head = format!("# v2 git bundle\n{} refs/lito/store\n\n", hexadecimal(tip));
        Ok([head.as_bytes(), &pack, &sum].concat())
    }
}

/// The file of an object.
pub(crate) fn file_of(repository: &Path, id: ObjectId) -> PathBuf {
    let digits = hexadecimal(id);
    repository.join("objects").join(&digits[..2]).join(&digits[2..])
}

/// The digits of a hash.
pub(crate) fn hexadecimal(id: ObjectId) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The content of a commit with this tree and these parents.
pub(crate) fn commit(tree: ObjectId, parents: &[ObjectId]) -> Vec<u8> {
    let parents: String = (parents.iter())
        .map(|parent| format!("parent {}\n", hexadecimal(*parent)))
        .collect();
    let who = "lito <lito@localhost> 1600000000 +0000";
    format!(
        "tree {}\n{parents}author {who}\ncommitter {who}\n\na state\n",
        hexadecimal(tree)
    )
    .into_bytes()
}

fn header(kind: ObjectKind, content: &[u8]) -> Vec<u8> {
    let name = match kind {
        ObjectKind::Commit => "commit",
        ObjectKind::Tree => "tree",
        ObjectKind::Blob => "blob",
    };
    format!("{name} {}\0", content.len()).into_bytes()
}

fn packed(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(content)?;
    packed.finish()
}
