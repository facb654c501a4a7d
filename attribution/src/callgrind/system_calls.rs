//! The log of `valgrind --trace-syscalls=yes` → the paths that a program asked the system for.
//!
//! One call is one entry: `SYSCALL[process,thread](257) sys_openat ( 4294967196, 0x4a3b(data/a.txt), 524288 ) --> …`; the
//! result of a call that may wait stands in a later entry. Paths are made absolute by the folder of the process, and
//! cleaned by their text alone: symbolic links are not followed. Opens nothing itself.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::path::{Component, Path, PathBuf};

/// Everything that a program asked the system for by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestedPaths {
    /// Paths that were opened, looked at or executed, whether they exist or not. Absolute.
    pub paths: BTreeSet<PathBuf>,
    /// Folders whose entries were listed. Absolute.
    pub listed: BTreeSet<PathBuf>,
    /// False if files may have been opened that the log does not tell of: by a program that was started, by a kind of
    /// request that is not logged, or by a call whose entry can't be read.
    pub is_complete: bool,
}

/// Start of an entry.
const ENTRY: &str = "SYSCALL[";

/// `AT_FDCWD`, the folder of the process, as valgrind writes it: an `int` in an unsigned field or in a signed one.
const OWN_FOLDER: [&str; 4] = ["4294967196", "-100", "18446744073709551516", "AT_FDCWD"];

/// How a text at address 0 is written.
const NO_TEXT: &str = "(null)";

/// Calls whose texts are no paths.
const WITHOUT_PATHS: [&str; 3] = ["prctl", "sethostname", "setdomainname"];

/// Calls after which files may be opened unseen.
const UNSEEN: [&str; 6] = [
    "execve",
    "execveat",
    "io_uring_setup",
    "io_uring_enter",
    "open_by_handle_at",
    "chroot",
];

/// Longest entry that is read, in bytes: a call with the longest path that the system allows.
const LONGEST_ENTRY: u64 = 64 << 10;

/// Reads the log of a program that was started in a folder.
///
/// # Errors
/// The log can't be read.
pub fn requested_paths(log: impl BufRead, folder: &Path) -> io::Result<RequestedPaths> {
    let mut reader = SystemCallReader {
        found: RequestedPaths {
            is_complete: true,
            ..RequestedPaths::default()
        },
        folder: folder.to_owned(),
        processes: BTreeMap::new(),
        waiting: BTreeMap::new(),
    };
    for_each_entry(log, |entry| reader.entry(entry))?;
    // Every program calls the system: without an entry nothing was logged.
    reader.found.is_complete &= !reader.processes.is_empty();
    Ok(reader.found)
}

/// True if a program has threads beside its first one, which call the system when they begin.
///
/// # Errors
/// The log can't be read.
pub fn has_several_threads(log: impl BufRead) -> io::Result<bool> {
    let mut found = false;
    for_each_entry(log, |entry| {
        found |= SystemCallEntry::parse(entry).is_none_or(|entry| entry.thread > 1);
    })?;
    Ok(found)
}

fn for_each_entry(mut log: impl BufRead, mut take: impl FnMut(&str)) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = io::Read::take(&mut log, LONGEST_ENTRY).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        // Entries of two threads may share a line.
        let text = String::from_utf8_lossy(&line);
        text.split(ENTRY).skip(1).for_each(&mut take);
    }
}

/// The state of one process, as far as paths depend on it.
#[derive(Debug, Clone)]
struct ProcessFolders {
    own: PathBuf,
    /// Folders and files by their descriptors.
    open: BTreeMap<u64, PathBuf>,
}

struct SystemCallReader {
    found: RequestedPaths,
    folder: PathBuf,
    processes: BTreeMap<u64, ProcessFolders>,
    /// Paths whose descriptor is not known yet, by process and thread.
    waiting: BTreeMap<(u64, u64), PathBuf>,
}

/// The parts of an entry's text: `process,thread](number) name ( arguments ) …result`.
struct SystemCallEntry<'t> {
    process: u64,
    thread: u64,
    call: &'t str,
}

impl SystemCallReader {
    fn entry(&mut self, text: &str) {
        let Some(entry) = SystemCallEntry::parse(text) else {
            self.found.is_complete = false;
            return;
        };
        if !self.processes.contains_key(&entry.process) {
            // A forked process starts with what its parent has; the first one with nothing.
            let parent = self.processes.values().next().cloned();
            let state = parent.unwrap_or_else(|| ProcessFolders {
                own: self.folder.clone(),
                open: BTreeMap::new(),
            });
            self.processes.insert(entry.process, state);
        }
        if entry.call.starts_with("...") {
            self.finished(&entry);
            return;
        }
        let Some((name, rest)) = entry.call.split_once('(') else {
            return;
        };
        let name = name.trim().trim_start_matches("sys_");
        // Of some calls, the name says how an argument is read: `fcntl[ARG3=='arg']`.
        let name = name.split('[').next().unwrap_or(name);
        if UNSEEN.contains(&name) {
            self.found.is_complete = false;
        }
        match name {
            "chdir" => self.change_folder(&entry, rest),
            "fchdir" => {
                let target = first_number(rest).and_then(|number| self.state(&entry).open.get(&number).cloned());
                self.enter(&entry, target);
            }
            "getdents" | "getdents64" => {
                match first_number(rest).and_then(|number| self.state(&entry).open.get(&number).cloned()) {
                    Some(folder) => {
                        self.found.listed.insert(folder);
                    }
                    None => self.found.is_complete = false,
                }
            }
            // A descriptor that changes its number keeps its path.
            "dup" | "dup2" | "dup3" | "fcntl" => self.duplicated(&entry, rest),
            _ if WITHOUT_PATHS.contains(&name) => {}
            _ => self.asked_for(&entry, name, rest),
        }
    }

    /// Every call with a text among its arguments, if that may be a path.
    fn asked_for(&mut self, entry: &SystemCallEntry<'_>, name: &str, rest: &str) {
        let is_at = name.ends_with("at") && !name.ends_with("stat")
            || matches!(name, "newfstatat" | "statx" | "openat2" | "faccessat2");
        let (texts, ended) = texts(rest);
        let opens = matches!(name, "open" | "openat" | "openat2" | "creat");
        if opens && (texts.is_empty() || !ended) {
            self.found.is_complete = false;
        }
        for (before, text) in texts {
            // The file of a descriptor, or no text at all.
            if text.is_empty() || text == NO_TEXT {
                continue;
            }
            let base = match before.rsplit([',', '(']).map(str::trim).find(|part| !part.is_empty()) {
                Some(number) if is_at && !OWN_FOLDER.contains(&number) && !text.starts_with('/') => {
                    let number = number.parse().ok();
                    number.and_then(|number| self.state(entry).open.get(&number).cloned())
                }
                _ => Some(self.state(entry).own.clone()),
            };
            let Some(base) = base else {
                self.found.is_complete = false;
                continue;
            };
            let path = cleaned(&base.join(text));
            if opens {
                match result(rest) {
                    Some(descriptor) => {
                        self.state(entry).open.insert(descriptor, path.clone());
                    }
                    None => {
                        self.waiting.insert((entry.process, entry.thread), path.clone());
                    }
                }
            }
            self.found.paths.insert(path);
        }
    }

    fn change_folder(&mut self, entry: &SystemCallEntry<'_>, rest: &str) {
        let (texts, _) = texts(rest);
        let Some((_, text)) = texts.first() else {
            self.found.is_complete = false;
            return;
        };
        let target = cleaned(&self.state(entry).own.join(text));
        self.found.paths.insert(target.clone());
        if rest.contains("Success") {
            self.enter(entry, Some(target));
        } else if !rest.contains("Failure") {
            // What became of it stands elsewhere.
            self.found.is_complete = false;
        }
    }

    fn enter(&mut self, entry: &SystemCallEntry<'_>, target: Option<PathBuf>) {
        match target {
            Some(folder) => self.state(entry).own = folder,
            None => self.found.is_complete = false,
        }
    }

    fn duplicated(&mut self, entry: &SystemCallEntry<'_>, rest: &str) {
        let path = first_number(rest).and_then(|number| self.state(entry).open.get(&number).cloned());
        if let (Some(path), Some(copy)) = (path, result(rest)) {
            self.state(entry).open.insert(copy, path);
        }
    }

    /// The result of a call that waited.
    fn finished(&mut self, entry: &SystemCallEntry<'_>) {
        let waiting = self.waiting.remove(&(entry.process, entry.thread));
        if let (Some(path), Some(descriptor)) = (waiting, result(entry.call)) {
            self.state(entry).open.insert(descriptor, path);
        }
    }

    fn state(&mut self, entry: &SystemCallEntry<'_>) -> &mut ProcessFolders {
        let folder = &self.folder;
        self.processes.entry(entry.process).or_insert_with(|| ProcessFolders {
            own: folder.clone(),
            open: BTreeMap::new(),
        })
    }
}

impl<'t> SystemCallEntry<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let (ids, rest) = text.split_once(']')?;
        let (process, thread) = ids.split_once(',')?;
        let (_, call) = rest.split_once(')')?;
        Some(Self {
            process: process.parse().ok()?,
            thread: thread.parse().ok()?,
            call: call.trim(),
        })
    }
}

/// The texts among the arguments, `0x4a3b(text)`, each with what stands before it; and whether the last one ended.
fn texts(arguments: &str) -> (Vec<(&str, &str)>, bool) {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = arguments[from..].find("0x").map(|at| at + from) {
        let digits = arguments[at + 2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        let open = at + 2 + digits;
        if arguments.as_bytes().get(open) != Some(&b'(') {
            from = at + 2;
            continue;
        }
        // A path may hold any character: it ends where the next argument begins, or the last one ends.
        let text = &arguments[open + 1..];
        let Some(end) = text.find("), ").into_iter().chain(text.find(") )")).min() else {
            return (found, false);
        };
        found.push((&arguments[..at], &text[..end]));
        from = open + 1 + end;
    }
    // What follows the last text are numbers, or a name held what looks like its end.
    let rest = arguments[from..]
        .trim_start_matches(')')
        .split(" )")
        .next()
        .unwrap_or_default();
    let is_number = |part: &str| {
        part.trim()
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'x' | b'-'))
    };
    let ended = found.is_empty() || rest.split(',').all(is_number);
    (found, ended)
}

/// The first argument, as a descriptor.
fn first_number(arguments: &str) -> Option<u64> {
    arguments.split([',', ')']).next()?.trim().parse().ok()
}

/// The value of a call that succeeded.
fn result(text: &str) -> Option<u64> {
    let (_, value) = text.rsplit_once("Success(0x")?;
    u64::from_str_radix(value.split(')').next()?, 16).ok()
}

/// A path without `.` and `..`, by its text.
fn cleaned(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(log: &str) -> RequestedPaths {
        requested_paths(log.as_bytes(), Path::new("/tree/crate")).unwrap()
    }

    fn shown(paths: &BTreeSet<PathBuf>) -> Vec<&str> {
        paths.iter().map(|path| path.to_str().unwrap()).collect()
    }

    /// As valgrind 3.19 writes it.
    const LOG: &str = "==1== Callgrind, a call-graph generating cache profiler\n\
        SYSCALL[1,1](257) sys_openat ( 4294967196, 0x1fff0000f0(data/a b.txt), 524288 ) --> [async] ... \n\
        SYSCALL[1,1](257) ... [async] --> Success(0x4) \n\
        SYSCALL[1,1](332) sys_statx ( 4, 0x10ed34(), 4096, 4095, 0x1ffeffffb0 )[sync] --> Success(0x0) \n\
        SYSCALL[1,1](3) sys_close ( 4 )[sync] --> Success(0x0) \n\
        SYSCALL[1,1](332) sys_statx ( 4294967196, 0x1fff000080(data/absent), 0, 4095, 0x1ff )[sync] --> Failure(0x2) \n\
        SYSCALL[1,1](257) sys_openat ( 4294967196, 0x1fff000120(data), 591872 ) --> [async] ... \n\
        SYSCALL[1,1](257) ... [async] --> Success(0x4) \n\
        SYSCALL[1,1](217) sys_getdents64 ( 4, 0x4035e10, 32768 ) --> [async] ... \n\
        SYSCALL[1,1](217) ... [async] --> Success(0x68) \n\
        SYSCALL[1,1](257) sys_openat ( 4, 0x1fff000120(inner.txt), 591872 ) --> [async] ... \n\
        SYSCALL[1,1](257) ... [async] --> Success(0x5) \n\
        SYSCALL[1,1](80) sys_chdir ( 0x1fff000128(data) )[sync] --> Success(0x0) \n\
        SYSCALL[1,1](56) sys_clone ( 3d0f00, 0x4c49f30 ) --> [pre-success] Success(0x213c) SYSCALL[1,2](257) sys_openat ( \
        4294967196, 0x4c49bb0(../../Cargo.toml), 524288 ) --> [async] ... \n\
        SYSCALL[1,1](257) sys_openat ( 4294967196, 0x4c49bb0(/etc/hostname), 524288 ) --> [async] ... \n";

    #[test]
    fn a_second_thread_shows_by_its_calls() {
        let of = |log: &str| has_several_threads(log.as_bytes()).unwrap();
        assert!(!of(
            "==7== Callgrind\nSYSCALL[7,1](56) sys_clone ( 11 )[sync] --> Success(0x8) \nSYSCALL[8,1](231) exit_group( 0 )\n"
        ));
        assert!(of(
            "SYSCALL[7,1](12) sys_brk ( 0 ) SYSCALL[7,2](273) sys_set_robust_list ( 1 )[sync] --> Success(0x0) \n"
        ));
        assert!(of("SYSCALL[7\n"), "an entry that can't be read is no evidence");
    }

    #[test]
    fn paths_are_made_absolute_by_folder_and_descriptor() {
        let found = read(LOG);
        assert_eq!(
            shown(&found.paths),
            [
                "/etc/hostname",
                "/tree/Cargo.toml",
                "/tree/crate/data",
                "/tree/crate/data/a b.txt",
                "/tree/crate/data/absent",
                "/tree/crate/data/inner.txt"
            ]
        );
        assert_eq!(shown(&found.listed), ["/tree/crate/data"]);
        assert!(found.is_complete);
    }

    #[test]
    fn a_folder_is_known_by_each_of_its_descriptors() {
        let listed = "SYSCALL[1,1](257) sys_openat ( 4294967196, 0x1fff000120(data), 591872 ) --> [async] ... \n\
            SYSCALL[1,1](257) ... [async] --> Success(0x6) \n\
            SYSCALL[1,1](72) sys_fcntl[ARG3=='arg'] ( 6, 1030, 0 )[sync] --> Success(0x7) \n\
            SYSCALL[1,1](217) sys_getdents64 ( 7, 0x46a0cb0, 32768 ) --> [async] ... \n";
        let found = read(listed);
        assert!(found.is_complete);
        assert_eq!(shown(&found.listed), ["/tree/crate/data"]);
        let other = listed.replace("( 6, 1030", "( 9, 1030");
        assert!(!read(&other).is_complete, "nobody knows the folder behind 9");
    }

    #[test]
    fn a_program_that_is_started_may_open_anything() {
        let started =
            "SYSCALL[8517,1](59) sys_execve ( 0x40363b0(/bin/true), 0x4035dd0, 0x1fff000768 )   clone(fork): x\n";
        let found = read(&format!("{LOG}{started}"));
        assert!(!found.is_complete && found.paths.contains(Path::new("/bin/true")));
    }

    #[test]
    fn a_path_that_breaks_its_entry_leaves_the_record_incomplete() {
        let broken = "SYSCALL[1,1](257) sys_openat ( 4294967196, 0x1fff0000f0(two\nlines), 524288 ) --> [async] ... \n";
        assert!(!read(broken).is_complete);
        let unknown = "SYSCALL[1,1](257) sys_openat ( 77, 0x1fff0000f0(a.txt), 524288 ) --> [async] ... \n";
        assert!(!read(unknown).is_complete, "nobody knows the folder behind 77");
        assert!(!read("SYSCALL[1,1](80) sys_fchdir ( 9 )[sync] --> Success(0x0) \n").is_complete);
    }

    #[test]
    fn a_folder_that_could_not_be_entered_is_not_the_new_one() {
        let log = "SYSCALL[1,1](80) sys_chdir ( 0x1fff000128(nowhere) )[sync] --> Failure(0x2) \n\
            SYSCALL[1,1](2) sys_open ( 0x1fff0000f0(a.txt), 0 ) --> [async] ... \n";
        assert!(read(log).paths.contains(Path::new("/tree/crate/a.txt")));
    }

    #[test]
    fn texts_that_are_no_paths_are_no_requests() {
        let found = read(
            "SYSCALL[1,1](332) sys_statx ( 0, 0x0((null)), 0, 4095, 0x0 )[sync] --> Failure(0xe) \n\
             SYSCALL[1,1](157) sys_prctl ( 15, 0x4c4a6b0(tests::reads), 0, 0, 0 )[sync] --> Success(0x0) \n",
        );
        assert!(found.is_complete && found.paths.is_empty(), "{found:?}");
    }

    #[test]
    fn brackets_in_names_are_part_of_them() {
        let log = "SYSCALL[1,1](257) sys_openat ( 4294967196, 0x1f(a (1), b.txt), 524288 ) --> [async] ... \n";
        // Such a name can't be told from two arguments.
        assert!(!read(log).is_complete);
        let plain = "SYSCALL[1,1](257) sys_openat ( 4294967196, 0x1f(a (1).txt), 524288 ) --> [async] ... \n";
        assert!(read(plain).paths.contains(Path::new("/tree/crate/a (1).txt")));
    }

    #[test]
    fn a_log_without_system_calls_says_nothing() {
        assert!(!read("==1== Callgrind, a call-graph generating cache profiler\n").is_complete);
    }

    #[test]
    fn any_text_is_read_without_a_panic() {
        for text in [
            "SYSCALL[",
            "SYSCALL[1",
            "SYSCALL[1,1](",
            "SYSCALL[1,1](2) sys_open ( 0x",
            "SYSCALL[1,1]() (",
        ] {
            read(text);
        }
    }
}
