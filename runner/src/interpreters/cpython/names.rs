//! A name in CPython's perf map (`py::Class.method:/path/module.py`) → the function and its canonical name:
//! `package.module.Class.method`.

use std::path::{Path, PathBuf};

/// The start of the names of Python functions in a perf map.
const PREFIX: &str = "py::";

/// The segment of a qualified name behind a function that has others in it.
const LOCALS: &str = "<locals>";

/// Code without a name of its own that belongs to the function around it.
const CLOSURES: [&str; 5] = ["<lambda>", "<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"];

/// The name of closures in profiles.
const CLOSURE: &str = "{closure}";

/// The segment behind a class whose statements run when it is made.
const CLASS_BODY: &str = "<class>";

/// Folders of packages above a module, at most.
const DEEPEST_PACKAGE: usize = 64;

/// A function of a process: its qualified name, and its file on the machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PythonCode {
    /// `Class.method`, `function.<locals>.inner`, `<module>`.
    pub(super) name: String,
    /// Its file, absolute; `None` for code that stands in no file.
    pub(super) file: Option<String>,
    /// Where it stands instead: `<frozen os>`, `<string>`.
    place: String,
}

impl PythonCode {
    /// The function behind a name of a perf map; `None` for the name of anything else. A relative path is below `directory`.
    pub(super) fn of_piece(name: &str, directory: &Path) -> Option<Self> {
        let (name, file) = name.strip_prefix(PREFIX)?.split_once(':')?;
        if name.is_empty() || file.is_empty() {
            return None;
        }
        let is_file = !file.starts_with('<');
        Some(Self {
            name: name.to_owned(),
            file: is_file.then(|| directory.join(file).to_string_lossy().into_owned()),
            place: match is_file {
                true => String::new(),
                false => file.trim_start_matches('<').trim_end_matches('>').to_owned(),
            },
        })
    }

    /// A function of a file.
    pub(super) fn in_file(name: &str, file: &str) -> Self {
        Self {
            name: name.to_owned(),
            file: Some(file.to_owned()),
            place: String::new(),
        }
    }

    /// True for the statements of a module.
    pub(super) fn is_module(&self) -> bool {
        self.name == "<module>"
    }

    /// True for the function that fills a new object.
    pub(super) fn is_constructor(&self) -> bool {
        self.name == "__init__" || self.name.ends_with(".__init__")
    }
}

/// The name in profiles: that of the module and of the function in it.
pub(super) fn canonical_name(code: &PythonCode, is_class_body: bool) -> String {
    let mut segments = match &code.file {
        Some(file) => module_of(Path::new(file)),
        // Modules that the interpreter is built with: `frozen importlib._bootstrap`.
        None => vec![code.place.strip_prefix("frozen ").unwrap_or(&code.place).to_owned()],
    };
    for segment in code.name.split('.').filter(|segment| *segment != LOCALS) {
        segments.push(match CLOSURES.contains(&segment) {
            true => CLOSURE.to_owned(),
            false => segment.to_owned(),
        });
    }
    if is_class_body {
        segments.push(CLASS_BODY.to_owned());
    }
    segments.join(".")
}

/// The module in a file: its packages are the folders above it that have an `__init__.py`.
fn module_of(file: &Path) -> Vec<String> {
    let text = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let stem = text(file.file_stem()).unwrap_or_default();
    let mut packages = Vec::new();
    let mut folder: Option<PathBuf> = file.parent().map(Path::to_owned);
    while let Some(above) = folder.filter(|folder| folder.join("__init__.py").is_file()) {
        packages.extend(text(above.file_name()));
        folder = above
            .parent()
            .map(Path::to_owned)
            .filter(|_| packages.len() < DEEPEST_PACKAGE);
    }
    packages.reverse();
    if stem != "__init__" || packages.is_empty() {
        packages.push(stem);
    }
    packages
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use super::{PythonCode, canonical_name};

    #[test]
    fn only_names_of_python_functions_are_taken() {
        let code = |name: &str| PythonCode::of_piece(name, Path::new("/work"));
        assert_eq!(
            code("py::K.p:/a:b/lib.py"),
            Some(PythonCode::in_file("K.p", "/a:b/lib.py"))
        );
        assert_eq!(code("py::f:lib.py"), Some(PythonCode::in_file("f", "/work/lib.py")));
        assert_eq!(code("py::f:<string>").unwrap().file, None);
        for other in ["", "py::", "py::f", "py::f:", "py:::x.py", "jit::f:/x.py"] {
            assert_eq!(code(other), None, "{other}");
        }
    }

    #[test]
    fn names_are_those_of_the_source() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("src/pkg/sub")).unwrap();
        for file in ["src/pkg/__init__.py", "src/pkg/sub/__init__.py", "src/pkg/sub/m.py"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let name = |code: &str, file: &str, is_class_body| {
            let path = folder.path().join(file).to_string_lossy().into_owned();
            canonical_name(&PythonCode::in_file(code, &path), is_class_body)
        };
        assert_eq!(
            name("K.run.<locals>.inner", "src/pkg/sub/m.py", false),
            "pkg.sub.m.K.run.inner"
        );
        assert_eq!(
            name("K.run.<locals>.<genexpr>", "src/pkg/sub/m.py", false),
            "pkg.sub.m.K.run.{closure}"
        );
        assert_eq!(name("K", "src/pkg/__init__.py", true), "pkg.K.<class>");
        assert_eq!(name("<module>", "bench.py", false), "bench.<module>");
        let frozen = PythonCode::of_piece("py::_find_spec:<frozen importlib._bootstrap>", folder.path()).unwrap();
        assert_eq!(canonical_name(&frozen, false), "importlib._bootstrap._find_spec");
    }
}
