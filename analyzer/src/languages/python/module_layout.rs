//! The path of a Python file → its packages and module. Packages are the folders with an `__init__.py`.

use crate::layout::ModuleLayout;
use crate::sources::FileSource;

/// The packages of one version.
pub(super) struct PythonPackages<'t> {
    pub(super) tree: &'t dyn FileSource,
}

impl ModuleLayout for PythonPackages<'_> {
    fn module_path(&self, path: &str) -> Vec<String> {
        let stem = path
            .strip_suffix(".py")
            .or_else(|| path.strip_suffix(".pyi"))
            .unwrap_or(path);
        let mut parts: Vec<&str> = stem.split('/').collect();
        let file = parts.pop().unwrap_or(stem);
        let mut first = parts.len();
        while first > 0
            && self
                .tree
                .file(&format!("{}/__init__.py", parts[..first].join("/")))
                .is_some()
        {
            first -= 1;
        }
        let mut segments: Vec<String> = parts[first..].iter().map(|part| (*part).to_owned()).collect();
        if file != "__init__" || segments.is_empty() {
            segments.push(file.to_owned());
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TestFiles;

    #[test]
    fn packages_are_the_folders_with_an_init_file() {
        let files = TestFiles(vec![("src/pkg/__init__.py", ""), ("src/pkg/sub/__init__.py", "")]);
        let layout = PythonPackages { tree: &files };
        let name = |path| layout.module_path(path).join(".");
        assert_eq!(name("src/pkg/sub/m.py"), "pkg.sub.m");
        assert_eq!(name("src/pkg/__init__.py"), "pkg");
        assert_eq!(name("m.py"), "m");
    }
}
