//! The log of strace, with descriptors as paths → the paths that the traced processes asked the system for.
//!
//! One line is one call: `71 openat(AT_FDCWD</work>, "a.c", O_RDONLY) = 3</work/a.c>`; the two halves of a call that others
//! interrupt stand in two lines. Paths are made absolute by the folder of their process and are not followed. Opens nothing
//! itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use attribution::callgrind::system_calls::RequestedPaths;

use super::compiler_runs::{ProgramRun, is_compiler};
use super::git_runs::{compares_with_commit, lists_files};
use super::make_runs::{MakeRun, is_make};
use super::strace_call::{StraceArgument, StraceCall, described};
use crate::build::inputs::without_dots;

/// Ends the first half of a call.
const UNFINISHED: &[u8] = b"<unfinished ...>";

/// Calls after which files may be read unseen.
const UNSEEN: [&str; 6] = [
    "io_uring_setup",
    "open_by_handle_at",
    "setns",
    "unshare",
    "chroot",
    "pivot_root",
];

/// Calls with two paths. The second text of others is a name or what the system answers.
const WITH_TWO_PATHS: [&str; 6] = ["rename", "renameat", "renameat2", "link", "linkat", "symlinkat"];

/// A call whose text is the answer of the system.
const OWN_FOLDER: &str = "getcwd";

/// Calls that make a process, which begins in the folder of its parent.
const FORKS: [&str; 4] = ["clone", "clone3", "fork", "vfork"];

/// Longest line that is read, in bytes: the system allows 6 MiB for the command line and the environment of a program, and strace
/// writes up to four bytes for each.
const LONGEST_LINE: u64 = 32 << 20;

/// Reads the log of a command that was started in a folder.
///
/// # Errors
/// The log can't be read.
pub(super) fn read(mut log: impl BufRead, folder: &Path) -> io::Result<TracedCommand> {
    let mut reader = StraceReader {
        opened: BTreeSet::new(),
        executed: BTreeSet::new(),
        compilers: BTreeSet::new(),
        without_folder: BTreeMap::new(),
        comparing: BTreeSet::new(),
        lists_files: false,
        makes: BTreeMap::new(),
        make_runs: Vec::new(),
        found: RequestedPaths {
            is_complete: true,
            ..RequestedPaths::default()
        },
        folders: BTreeMap::new(),
        unfinished: BTreeMap::new(),
        first: folder.to_owned(),
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = io::Read::take(&mut log, LONGEST_LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        match line.strip_suffix(b"\n") {
            Some(line) => reader.line(line),
            None => reader.found.is_complete = false,
        }
    }
    // Every command executes at least one program, and none ends within a call.
    reader.found.is_complete &= !reader.folders.is_empty() && !reader.found.paths.is_empty();
    reader.compilers.extend(reader.without_folder.into_values());
    reader.make_runs.extend(reader.makes.into_values());
    Ok(TracedCommand {
        requested: reader.found,
        opened: reader.opened,
        executed: reader.executed,
        lists_files: reader.lists_files,
        make_runs: reader.make_runs,
        compilers: reader.compilers,
    })
}

/// Everything that the processes of a command did by path.
#[derive(Debug)]
pub(super) struct TracedCommand {
    /// Everything that they asked the system for, without the folders that make listed.
    pub(super) requested: RequestedPaths,
    /// The paths among that which they opened or executed, or tried to.
    pub(super) opened: BTreeSet<PathBuf>,
    /// The programs among those.
    pub(super) executed: BTreeSet<PathBuf>,
    /// True if git listed the files of a version for them.
    pub(super) lists_files: bool,
    /// Its processes of make.
    pub(super) make_runs: Vec<MakeRun>,
    /// How it executed those of them that compile C or C++.
    pub(super) compilers: BTreeSet<ProgramRun>,
}

struct StraceReader {
    opened: BTreeSet<PathBuf>,
    executed: BTreeSet<PathBuf>,
    compilers: BTreeSet<ProgramRun>,
    /// Compilers whose folder is not known yet, by process.
    without_folder: BTreeMap<u64, ProgramRun>,
    /// Processes that only compare the working tree with what is committed.
    comparing: BTreeSet<u64>,
    /// True if git listed files of the version.
    lists_files: bool,
    /// Processes of make that go on.
    makes: BTreeMap<u64, MakeRun>,
    /// Those that ended, or became another program.
    make_runs: Vec<MakeRun>,
    found: RequestedPaths,
    /// The folder that each process is in; `None` where it is not known.
    folders: BTreeMap<u64, Option<PathBuf>>,
    /// First halves of calls, by process.
    unfinished: BTreeMap<u64, Vec<u8>>,
    first: PathBuf,
}

impl StraceReader {
    fn line(&mut self, line: &[u8]) {
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&line[..digits])
            .ok()
            .and_then(|digits| digits.parse().ok());
        let Some(process) = number else {
            self.found.is_complete = false;
            return;
        };
        let rest = line[digits..].trim_ascii();
        if !self.folders.contains_key(&process) {
            let folder = self.folder_of_a_new_process();
            self.folders.insert(process, folder);
        }
        if rest.starts_with(b"+++") {
            self.make_runs.extend(self.makes.remove(&process));
        }
        if rest.starts_with(b"+++") || rest.starts_with(b"---") {
            return;
        }
        if let Some(first) = rest.strip_suffix(UNFINISHED) {
            self.unfinished.insert(process, first.to_vec());
            return;
        }
        if let Some(resumed) = rest.strip_prefix(b"<... ") {
            let second = resumed
                .iter()
                .position(|&byte| byte == b'>')
                .map(|at| &resumed[at + 1..]);
            match (self.unfinished.remove(&process), second) {
                (Some(mut call), Some(second)) => {
                    call.extend_from_slice(second);
                    self.call(process, &call);
                }
                _ => self.found.is_complete = false,
            }
            return;
        }
        self.call(process, rest);
    }

    /// That of the process which makes one; `None` if several do that are in different folders.
    fn folder_of_a_new_process(&self) -> Option<PathBuf> {
        if self.folders.is_empty() {
            return Some(self.first.clone());
        }
        let is_fork = |call: &[u8]| FORKS.iter().any(|name| call.starts_with(format!("{name}(").as_bytes()));
        let forking = self.unfinished.iter().filter(|(_, call)| is_fork(call));
        let folders: BTreeSet<Option<&PathBuf>> = forking
            .map(|(process, _)| self.folders.get(process).and_then(Option::as_ref))
            .collect();
        let mut folders = folders.into_iter();
        match (folders.next(), folders.next()) {
            (Some(only), None) => only.cloned(),
            _ => None,
        }
    }

    fn call(&mut self, process: u64, call: &[u8]) {
        let Some(call) = StraceCall::parse(call) else {
            self.found.is_complete = false;
            return;
        };
        if let Some(folder) = call.own_folder() {
            if let Some(run) = self.without_folder.remove(&process) {
                let folder = Some(folder.clone());
                self.compilers.insert(ProgramRun { folder, ..run });
            }
            self.folders.insert(process, Some(folder));
        }
        let failed = call.result.starts_with("-1") || call.result.starts_with('?');
        if UNSEEN.contains(&&*call.name) && !failed {
            self.found.is_complete = false;
        }
        let is_comparing = self.comparing.contains(&process);
        match &*call.name {
            "getdents" | "getdents64" if is_comparing => {}
            "connect" => self.found.is_complete &= failed || !call.asks_a_server(),
            "getdents" | "getdents64" => match call.arguments.first().and_then(StraceArgument::folder) {
                Some(folder) => {
                    let make = self.makes.get_mut(&process).map(|make| &mut make.listed);
                    make.unwrap_or(&mut self.found.listed).insert(folder);
                }
                None => self.found.is_complete = false,
            },
            "fchdir" if !failed => {
                let folder = call.arguments.first().and_then(StraceArgument::folder);
                self.folders.insert(process, folder);
            }
            name if FORKS.contains(&name) => self.forked(process, &call.result),
            name if is_comparing && !name.starts_with("execve") && name != "chdir" => {}
            _ => {
                let path = self.requested(process, &call);
                let is_executed = call.name.starts_with("execve");
                if is_executed || call.name.starts_with("open") {
                    let opened = path.iter().cloned().chain(described(call.result.as_bytes()));
                    let opened: Vec<PathBuf> = opened.collect();
                    if let Some(make) = self.makes.get_mut(&process) {
                        make.opened.extend(opened.iter().cloned());
                    }
                    self.opened.extend(opened);
                    if let Some(program) = path.filter(|_| is_executed && !failed) {
                        self.executed(process, program, call);
                    }
                } else if call.name == "chdir" && !failed {
                    self.folders.insert(process, path);
                }
            }
        }
    }

    fn executed(&mut self, process: u64, program: PathBuf, call: StraceCall) {
        let words = call.arguments.into_iter().find_map(StraceArgument::into_words);
        let is_comparing = words
            .as_deref()
            .is_some_and(|words| compares_with_commit(&program, words));
        self.lists_files |= words.as_deref().is_some_and(|words| lists_files(&program, words));
        match is_comparing {
            true => self.comparing.insert(process),
            false => self.comparing.remove(&process),
        };
        self.make_runs.extend(self.makes.remove(&process));
        if is_make(&program) {
            self.makes.insert(process, MakeRun::default());
        }
        if is_compiler(&program) {
            let run = ProgramRun {
                program: program.clone(),
                folder: self.folders.get(&process).cloned().flatten(),
                words,
            };
            if run.folder.is_some() {
                self.compilers.insert(run);
            } else if let Some(earlier) = self.without_folder.insert(process, run) {
                self.compilers.insert(earlier);
            }
        }
        self.executed.insert(program);
    }

    fn forked(&mut self, process: u64, result: &str) {
        let digits = result.split(|letter: char| !letter.is_ascii_digit()).next();
        if let Some(child) = digits.and_then(|digits| digits.parse().ok()) {
            let folder = self.folders.get(&process).cloned().flatten();
            let known = self.folders.entry(child).or_default();
            if known.is_none() {
                *known = folder;
            }
            if self.comparing.contains(&process) {
                self.comparing.insert(child);
            }
        }
    }

    /// Adds the paths among the arguments, and the one behind the result. Returns the first of the arguments.
    fn requested(&mut self, process: u64, call: &StraceCall) -> Option<PathBuf> {
        let paths = match &*call.name {
            OWN_FOLDER => 0,
            name if WITH_TWO_PATHS.contains(&name) => 2,
            _ => 1,
        };
        let mut first = None;
        let (mut seen, mut before): (usize, Option<&StraceArgument>) = (0, None);
        for argument in &call.arguments {
            if let StraceArgument::Text { bytes, is_whole } = argument {
                seen += 1;
                if seen > paths {
                    break;
                }
                self.found.is_complete &= is_whole;
                if !bytes.is_empty() {
                    match self.absolute(process, argument, before) {
                        Some(path) => {
                            first.get_or_insert_with(|| path.clone());
                            self.found.paths.insert(path);
                        }
                        None => self.found.is_complete = false,
                    }
                }
            }
            before = Some(argument);
        }
        if let Some(path) = described(call.result.as_bytes()) {
            self.found.paths.insert(path);
        }
        first
    }

    /// A path as an absolute one: relative to the descriptor before it, else to the folder of its process.
    fn absolute(&self, process: u64, path: &StraceArgument, before: Option<&StraceArgument>) -> Option<PathBuf> {
        let StraceArgument::Text { bytes, .. } = path else {
            return None;
        };
        let path = PathBuf::from(OsString::from_vec(bytes.clone()));
        if path.is_absolute() {
            return Some(without_dots(&path));
        }
        let base = match before {
            Some(descriptor @ StraceArgument::Other(text)) if text.ends_with(b">") => descriptor.folder(),
            _ => self.folders.get(&process).cloned().flatten(),
        };
        base.map(|base| without_dots(&base.join(path)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn read_text(log: &str) -> RequestedPaths {
        read(log.as_bytes(), Path::new("/work")).unwrap().requested
    }

    fn paths(log: &str) -> Vec<String> {
        let found = read_text(log);
        assert!(found.is_complete, "{log}: {found:?}");
        found.paths.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn a_path_is_relative_to_its_descriptor_or_to_the_folder_of_its_process() {
        assert_eq!(
            paths(
                "7 execve(\"./configure\", [...], 0x7ff /* 3 vars */) = 0\n\
                 7 access(\"a.h\", R_OK) = -1 ENOENT (No such file or directory)\n\
                 7 openat(3</work/src>, \"b.c\", O_RDONLY) = 4</work/src/b.c>\n\
                 7 chdir(\"lib\") = 0\n\
                 7 stat(\"c.c\", {st_mode=S_IFREG|0644, st_size=37, ...}) = 0\n"
            ),
            [
                "/work/a.h",
                "/work/configure",
                "/work/lib",
                "/work/lib/c.c",
                "/work/src/b.c"
            ]
        );
    }

    #[test]
    fn a_process_begins_in_the_folder_of_its_parent() {
        assert_eq!(
            paths(
                "7 chdir(\"/else\") = 0\n\
                 7 vfork( <unfinished ...>\n\
                 8 access(\"a\", R_OK) = 0\n\
                 7 <... vfork resumed>) = 8\n\
                 7 clone(child_stack=NULL, flags=SIGCHLD) = 9\n\
                 9 access(\"b\", R_OK) = 0\n"
            ),
            ["/else", "/else/a", "/else/b"]
        );
    }

    #[test]
    fn a_link_counts_as_it_was_asked_for_and_as_it_was_opened() {
        assert_eq!(
            paths("7 openat(AT_FDCWD</work>, \"link\", O_RDONLY) = 3</work/real.c>\n"),
            ["/work/link", "/work/real.c"]
        );
    }

    #[test]
    fn the_answer_of_the_system_is_no_path() {
        assert_eq!(
            paths(
                "7 readlink(\"/usr/bin/cc\", \"\"..., 1023) = 6\n7 getcwd(\"\"..., 4096) = 8\n\
                 7 readlinkat(AT_FDCWD</work>, \"/usr/bin/c++\", \"/etc/alternatives/c++\", 1023) = 21\n\
                 7 getcwd(\"/work/sub\", 4096) = 10\n\
                 7 getxattr(\"/usr/bin/ld\", \"user.name\", \"/value\", 10) = 6\n"
            ),
            ["/usr/bin/c++", "/usr/bin/cc", "/usr/bin/ld"]
        );
    }

    #[test]
    fn what_is_opened_is_told_from_what_is_looked_at() {
        let log = "7 stat(\"a.c\", {...}) = 0\n7 openat(AT_FDCWD</work>, \"b.c\", O_RDONLY) = 3</work/b.c>\n\
                   7 execve(\"./gen\", [...], 0x7ff /* 3 vars */) = 0\n7 open(\"c.c\", O_RDONLY) = -1 ENOENT (No such file)\n";
        let traced = read(log.as_bytes(), Path::new("/work")).unwrap();
        assert_eq!(
            traced.opened,
            ["/work/b.c".into(), "/work/c.c".into(), "/work/gen".into()].into()
        );
        assert_eq!(traced.executed, ["/work/gen".into()].into());
        assert_eq!(traced.requested.paths.len(), 4);
    }

    #[test]
    fn the_whole_command_line_of_a_compiler_is_known_and_no_environment() {
        let words: Vec<String> = (0..5000).map(|number| format!("-DN{number}=\\\"a, b]\\\"")).collect();
        let line = format!(
            "7 chdir(\"/work/sub\") = 0\n7 execve(\"/usr/bin/cc\", [\"cc\", \"{}\", \"a.c\"], [\"SECRET=/secret\", \"X=<[\"]) = 0\n",
            words.join("\", \"")
        );
        assert!(line.len() > 100_000);
        let traced = read(line.as_bytes(), Path::new("/work")).unwrap();
        assert!(traced.requested.is_complete);
        let compiler = traced.compilers.iter().next().unwrap();
        assert_eq!(compiler.folder.as_deref(), Some(Path::new("/work/sub")));
        let words = compiler.words.as_ref().unwrap();
        assert_eq!((words.len(), words[1].to_str()), (5002, Some("-DN0=\"a, b]\"")));
        assert!(!format!("{traced:?}").contains("ecret"));
    }

    #[test]
    fn a_command_line_that_is_cut_is_not_known() {
        for words in [
            "[\"cc\", \"a\"...]",
            "[\"cc\", ...]",
            "[\"cc\", 0x7ffd]",
            "0x7ffd",
            "NULL",
        ] {
            let line = format!("7 execve(\"/usr/bin/cc\", {words}, 0x7ff /* 3 vars */) = 0\n");
            let traced = read(line.as_bytes(), Path::new("/work")).unwrap();
            assert!(traced.requested.is_complete, "{line}");
            assert_eq!(traced.compilers.first().unwrap().words, None, "{line}");
        }
    }

    #[test]
    fn files_that_git_compares_with_the_commit_are_not_requested() {
        let log = "7 execve(\"/bin/make\", [\"make\"], []) = 0\n7 vfork() = 8\n\
                   8 execve(\"/usr/bin/git\", [\"git\", \"describe\", \"--dirty\"], []) = 0\n\
                   8 openat(AT_FDCWD</work>, \"a.c\", O_RDONLY) = 3</work/a.c>\n8 vfork() = 9\n\
                   9 openat(AT_FDCWD</work>, \"b.c\", O_RDONLY) = 3</work/b.c>\n\
                   9 execve(\"/bin/cat\", [\"cat\", \"c\"], []) = 0\n\
                   9 openat(AT_FDCWD</work>, \"c\", O_RDONLY) = 3</work/c>\n\
                   7 openat(AT_FDCWD</work>, \"d.c\", O_RDONLY) = 3</work/d.c>\n";
        assert_eq!(
            paths(log),
            ["/bin/cat", "/bin/make", "/usr/bin/git", "/work/c", "/work/d.c"]
        );
    }

    #[test]
    fn the_folder_of_a_compiler_may_show_after_it_started() {
        let log = "7 execve(\"/bin/make\", [\"make\"], []) = 0\n7 vfork( <unfinished ...>\n8 chdir(\"/else\") = 0\n\
                   8 vfork( <unfinished ...>\n9 execve(\"/usr/bin/cc\", [\"cc\"], [\"A=b\"] <unfinished ...>\n\
                   9 <... execve resumed>) = 0\n9 openat(AT_FDCWD</else>, \"a.c\", O_RDONLY) = 3</else/a.c>\n\
                   9 execve(\"/usr/bin/g++\", [\"g++\"], [...]) = -1 ENOENT (No such file or directory)\n";
        let traced = read(log.as_bytes(), Path::new("/work")).unwrap();
        let expected = ProgramRun {
            program: "/usr/bin/cc".into(),
            folder: Some("/else".into()),
            words: Some(vec!["cc".into()]),
        };
        assert_eq!(traced.compilers, [expected].into());
    }

    #[test]
    fn escapes_stand_for_bytes() {
        assert_eq!(
            paths("7 access(\"/a\\\"b\\303\\244 c,d)\", R_OK) = 0\n"),
            ["/a\"bä c,d)"]
        );
    }

    #[test]
    fn a_listed_folder_is_known() {
        let found =
            read_text("7 access(\"/x\", R_OK) = 0\n7 getdents64(3</work/src>, 0x55 /* 5 entries */, 32768) = 128\n");
        assert_eq!(found.listed, ["/work/src".into()].into());
    }

    #[test]
    fn what_make_lists_is_told_by_itself() {
        let log = "7 execve(\"/usr/bin/make\", [\"make\"], 0x7 /* 9 vars */) = 0\n\
                   7 openat(AT_FDCWD</work>, \"/work/rules.mk\", O_RDONLY) = 3</work/rules.mk>\n\
                   7 getdents64(3</work/src>, 0x55 /* 5 entries */, 32768) = 128\n\
                   7 clone(child_stack=NULL) = 8\n\
                   8 getdents64(3</work/data>, 0x55 /* 5 entries */, 32768) = 128\n\
                   7 execve(\"/usr/bin/find\", [\"find\"], 0x7 /* 9 vars */) = 0\n\
                   7 getdents64(3</work/tests>, 0x55 /* 5 entries */, 32768) = 128\n";
        let traced = read(log.as_bytes(), Path::new("/work")).unwrap();
        assert_eq!(
            traced.requested.listed,
            ["/work/data", "/work/tests"].map(PathBuf::from).into()
        );
        let [make] = traced.make_runs.as_slice() else {
            panic!("{traced:?}");
        };
        assert_eq!(make.listed, ["/work/src".into()].into());
        assert!(make.opened.contains(Path::new("/work/rules.mk")));
    }

    #[test]
    fn a_log_that_does_not_tell_everything_is_not_complete() {
        for log in [
            "",
            "7 exit_group(0) = ?\n",
            "7 access(\"/x\", R_OK) = 0\n7 access(\"/y\"",
            "7 access(\"/x\", R_OK) = 0\nstrace: Process 9 detached\n",
            "7 access(\"/x\"..., R_OK) = 0\n",
            "7 access(\"/x\", R_OK) = 0\n7 io_uring_setup(8, {}) = 3\n",
            "7 access(\"/x\", R_OK) = 0\n7 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path=\"/tmp/server\"}, 110) = 0\n",
            "7 access(\"/x\", R_OK) = 0\n7 connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(4226), \
             sin_addr=inet_addr(\"127.0.0.1\")}, 16) = 0\n",
            "7 access(\"/x\", R_OK) = 0\n12 access(\"relative\", R_OK) = 0\n",
            "7 access(\"/x\", R_OK) = 0\n7 getdents64(3, 0x55 /* 5 entries */, 32768) = 128\n",
        ] {
            assert!(!read_text(log).is_complete, "{log}");
        }
    }

    #[test]
    fn a_name_service_reads_no_file_of_a_project() {
        paths(
            "7 access(\"/x\", R_OK) = 0\n\
             7 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path=\"/var/run/nscd/socket\"}, 110) = 0\n\
             7 connect(4<UDP:[2]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr(\"127.0.0.53\")}, 16) = 0\n",
        );
    }

    proptest! {
        #[test]
        fn any_log_is_read_without_a_panic(
            log in "([0-9]{1,2} )?[a-z]{0,6}[(]?([\"\\\\<>(){},.=0-9a-z /\n-]|AT_FDCWD|unfinished|resumed){0,60}"
        ) {
            read_text(&log);
        }
    }
}
