//! One line of strace's log → the call, with its arguments and its result.
//!
//! Texts lose their escapes. Of an executed program's environment nothing is kept.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Calls that execute a program: `execve(path, arguments, environment)`, and the same with a descriptor before the path.
const EXECUTIONS: &[u8] = b"execve";

/// Sockets of the system, whose servers read no file of a project.
const SYSTEM_SOCKETS: [&str; 3] = ["/nscd/", "/run/systemd/", "/run/dbus/"];

/// Where a host asks for names.
const NAME_SERVICE: &str = "sin_port=htons(53)";

/// One call with its result.
#[derive(Debug)]
pub(super) struct StraceCall {
    pub(super) name: String,
    pub(super) arguments: Vec<StraceArgument>,
    pub(super) result: String,
}

#[derive(Debug)]
pub(super) enum StraceArgument {
    /// A text in quotation marks, without escapes; not whole if strace cut it.
    Text { bytes: Vec<u8>, is_whole: bool },
    /// The words of an executed program's command line; `None` if strace does not show all of them.
    Words(Option<Vec<OsString>>),
    /// Everything else, as it is written.
    Other(Vec<u8>),
}

impl StraceArgument {
    /// The folder of `3</work>` or `AT_FDCWD</work>`.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::Text { .. } | Self::Words(_) => None,
            Self::Other(text) => described(text),
        }
    }

    /// The command line of an execution.
    pub(super) fn into_words(self) -> Option<Vec<OsString>> {
        match self {
            Self::Words(words) => words,
            Self::Text { .. } | Self::Other(_) => None,
        }
    }
}

impl StraceCall {
    /// `name(arguments) = result`; `None` for anything else.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let open = text.iter().position(|&byte| byte == b'(')?;
        let name = std::str::from_utf8(&text[..open]).ok()?.to_owned();
        let mut arguments = Vec::new();
        let mut other = Vec::new();
        let mut depth = 0_usize;
        // Of the two lists of an execution the first is the command line, and the second is the environment.
        let mut lists = if text.starts_with(EXECUTIONS) { 2 } else { 0 };
        let mut at = open + 1;
        loop {
            let byte = *text.get(at)?;
            match byte {
                b'"' => {
                    let (bytes, next) = quoted(text, at + 1)?;
                    let is_whole = !text[next..].starts_with(b"...");
                    at = if is_whole { next } else { next + 3 };
                    if depth == 0 && other.is_empty() {
                        arguments.push(StraceArgument::Text { bytes, is_whole });
                    } else {
                        other.push(b'"');
                        other.extend(bytes);
                        other.push(b'"');
                    }
                    continue;
                }
                b'<' => {
                    // A path has no `>` that is not escaped.
                    let end = at + text[at..].iter().position(|&byte| byte == b'>')?;
                    other.extend_from_slice(&text[at..=end]);
                    at = end + 1;
                    continue;
                }
                b'[' if lists > 0 && depth == 0 && other.is_empty() => {
                    let (words, next) = listed_words(text, at + 1)?;
                    if lists == 2 {
                        arguments.push(StraceArgument::Words(words));
                    }
                    lists -= 1;
                    at = next;
                    continue;
                }
                b'(' | b'[' | b'{' => depth += 1,
                b')' if depth == 0 => break,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => {
                    if !other.trim_ascii().is_empty() {
                        arguments.push(StraceArgument::Other(other.trim_ascii().to_vec()));
                    }
                    other.clear();
                    at += 1;
                    continue;
                }
                b' ' if other.is_empty() => {
                    at += 1;
                    continue;
                }
                _ => {}
            }
            other.push(byte);
            at += 1;
        }
        if !other.trim_ascii().is_empty() {
            arguments.push(StraceArgument::Other(other.trim_ascii().to_vec()));
        }
        let result = text[at + 1..].trim_ascii().strip_prefix(b"=")?.trim_ascii();
        Some(Self {
            name,
            arguments,
            result: String::from_utf8_lossy(result).into_owned(),
        })
    }

    /// The folder of the process, which strace writes beside `AT_FDCWD`.
    pub(super) fn own_folder(&self) -> Option<PathBuf> {
        self.arguments.iter().find_map(|argument| match argument {
            StraceArgument::Other(text) if text.starts_with(b"AT_FDCWD<") => argument.folder(),
            _ => None,
        })
    }

    /// True for a connection to a server that may read files for the process.
    pub(super) fn asks_a_server(&self) -> bool {
        let Some(StraceArgument::Other(address)) = self.arguments.get(1) else {
            return true;
        };
        let address = String::from_utf8_lossy(address);
        !address.contains(NAME_SERVICE) && !SYSTEM_SOCKETS.iter().any(|socket| address.contains(socket))
    }
}

/// The path of `3</work/a.c>`.
pub(super) fn described(text: &[u8]) -> Option<PathBuf> {
    let start = text.iter().position(|&byte| byte == b'<')? + 1;
    let end = start + text[start..].iter().position(|&byte| byte == b'>')?;
    let path = unescaped(&text[start..end])?;
    path.starts_with(b"/").then(|| OsString::from_vec(path).into())
}

/// The texts up to the closing bracket, and the place behind that; no texts if something else stands between them, or one is
/// cut.
fn listed_words(text: &[u8], start: usize) -> Option<(Option<Vec<OsString>>, usize)> {
    let mut words = Some(Vec::new());
    let mut at = start;
    loop {
        match *text.get(at)? {
            b']' => return Some((words, at + 1)),
            b'"' => {
                let (bytes, next) = quoted(text, at + 1)?;
                if let Some(words) = &mut words {
                    words.push(OsString::from_vec(bytes));
                }
                at = next;
                continue;
            }
            b',' | b' ' => {}
            _ => words = None,
        }
        at += 1;
    }
}

/// The text up to the closing quotation mark, and the place behind that.
pub(super) fn quoted(text: &[u8], start: usize) -> Option<(Vec<u8>, usize)> {
    let mut end = start;
    while *text.get(end)? != b'"' {
        end += if text[end] == b'\\' { 2 } else { 1 };
    }
    Some((unescaped(text.get(start..end)?)?, end + 1))
}

/// A text of strace without its escapes: letters after a backslash, and up to three octal digits.
fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let escaped = *text.get(at)?;
        let digits = text[at..]
            .iter()
            .take(3)
            .take_while(|byte| (b'0'..=b'7').contains(byte))
            .count();
        if digits > 0 {
            let octal = text[at..at + digits].iter();
            let value = octal.fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            bytes.push(u8::try_from(value).ok()?);
            at += digits;
            continue;
        }
        bytes.push(match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 0x0b,
            b'f' => 0x0c,
            other => other,
        });
        at += 1;
    }
    Some(bytes)
}
