//! The text of a script of CMake → its commands.

use std::borrow::Cow;

/// How the names of scripts end that CMake finds in no folder by itself.
pub(super) const ENDINGS: [&str; 2] = [".cmake", ".cmake.in"];

/// Commands that tell something to people.
const SILENT: [&str; 2] = ["message", "mark_as_advanced"];

/// Commands for what is done with a finished build.
const OUTSIDE_THE_BUILD: [&str; 5] = [
    "install",
    "export",
    "add_test",
    "set_tests_properties",
    "enable_testing",
];

/// Commands in which `*` is a part of an expression, and words are no programs.
const WITHOUT_PATTERNS: [&str; 10] = [
    "if",
    "elseif",
    "while",
    "string",
    "list",
    "message",
    "option",
    "project",
    "find_package",
    "add_subdirectory",
];

/// Ways to write the program git.
const GIT: [&str; 2] = ["git", "${GIT_EXECUTABLE}"];

/// The beginning of commands that compile a text of their own.
const CHECKS: &str = "check_";

/// A command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CmakeCommand<'t> {
    /// In lower case: CMake does not tell them apart.
    name: String,
    /// Its arguments with their quotes, and brackets as arguments of their own.
    arguments: Vec<Cow<'t, str>>,
}

impl CmakeCommand<'_> {
    fn is_one_of(&self, names: &[&str]) -> bool {
        names.contains(&&*self.name)
    }

    /// True if it decides nothing about what is built.
    pub(super) fn is_silent(&self) -> bool {
        self.is_one_of(&SILENT)
    }

    /// True if it has no part in the build itself.
    pub(super) fn is_outside_the_build(&self) -> bool {
        self.is_one_of(&OUTSIDE_THE_BUILD)
    }

    /// True if a pattern among its arguments may become the names of files.
    pub(super) fn may_expand(&self) -> bool {
        !self.is_silent()
            && !self.is_outside_the_build()
            && !self.is_one_of(&WITHOUT_PATTERNS)
            && !self.name.starts_with(CHECKS)
            && !self.asks_git_for_tags()
    }

    /// True for runs of git without a shell that ask for tags, of which their patterns are.
    fn asks_git_for_tags(&self) -> bool {
        let words: Vec<&str> = self.arguments.iter().map(|word| word.trim_matches('"')).collect();
        let mut runs = words.split(|word| *word == "COMMAND").skip(1).peekable();
        let asks_for_tags = |run: &[&str]| matches!(run, [program, "describe" | "tag", ..] if GIT.contains(program));
        self.name == "execute_process" && runs.peek().is_some() && runs.all(asks_for_tags)
    }

    /// The folder whose script it runs; `None` if it is made up.
    pub(super) fn subdirectory(&self) -> Option<&str> {
        let folder = self.arguments.first().filter(|_| self.name == "add_subdirectory")?;
        let folder = folder.trim_matches('"');
        (!folder.contains(['$', '@', '\\'])).then_some(folder)
    }
}

/// The commands as a text of one line each.
pub(super) fn text_of<'c>(commands: impl Iterator<Item = &'c CmakeCommand<'c>>) -> Vec<u8> {
    let lines = commands.map(|command| format!("{}({})\n", command.name, command.arguments.join(" ")));
    lines.collect::<String>().into_bytes()
}

/// The commands of a script; `None` if it is not one of CMake.
pub(super) fn commands(text: &str) -> Option<Vec<CmakeCommand<'_>>> {
    let mut rest = Reader { rest: text };
    let mut commands = Vec::new();
    while rest.skip_space_and_comments()? {
        // A template has places that are filled in between its commands.
        if rest.skip("@") {
            let place = rest.take_while(|letter| letter == '_' || letter.is_ascii_alphanumeric());
            if place.is_empty() || !rest.skip("@") {
                return None;
            }
            commands.push(CmakeCommand {
                name: place.to_owned(),
                arguments: Vec::new(),
            });
            continue;
        }
        let name = rest.take_while(|letter| letter == '_' || letter.is_ascii_alphanumeric());
        rest.skip_space_and_comments()?;
        if name.is_empty() || !rest.skip("(") {
            return None;
        }
        commands.push(CmakeCommand {
            name: name.to_ascii_lowercase(),
            arguments: rest.arguments()?,
        });
    }
    Some(commands)
}

/// A text from some place on.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn skip(&mut self, start: &str) -> bool {
        let behind = self.rest.strip_prefix(start);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'t str {
        let length = self.rest.find(|letter| !holds(letter)).unwrap_or(self.rest.len());
        self.take(length)
    }

    /// False at the end of the text; `None` for a comment without an end.
    fn skip_space_and_comments(&mut self) -> Option<bool> {
        loop {
            self.take_while(char::is_whitespace);
            if !self.skip("#") {
                return Some(!self.rest.is_empty());
            }
            if self.bracket()?.is_none() {
                self.take_while(|letter| letter != '\n');
            }
        }
    }

    /// The text between `[=[` and `]=]`, with them; nothing if none begins here, and `None` if it does not end.
    #[allow(clippy::option_option)] // one for its end, one for its beginning
    fn bracket(&mut self) -> Option<Option<&'t str>> {
        let Some(inner) = self.rest.strip_prefix('[') else {
            return Some(None);
        };
        let level = inner.find(|letter| letter != '=').unwrap_or(inner.len());
        if !inner[level..].starts_with('[') {
            return Some(None);
        }
        let end = format!("]{}]", &inner[..level]);
        let length = self.rest.find(&end)? + end.len();
        Some(Some(self.take(length)))
    }

    /// The arguments up to the parenthesis that closes them; `None` if there is none.
    fn arguments(&mut self) -> Option<Vec<Cow<'t, str>>> {
        let (mut arguments, mut open) = (Vec::new(), 0_usize);
        loop {
            if !self.skip_space_and_comments()? {
                return None;
            }
            if let Some(bracket) = self.bracket()? {
                arguments.push(bracket.into());
                continue;
            }
            match self.rest.chars().next()? {
                ')' if open == 0 => {
                    self.take(1);
                    return Some(arguments);
                }
                sign @ ('(' | ')') => {
                    open = if sign == '(' { open + 1 } else { open - 1 };
                    arguments.push(self.take(1).into());
                }
                _ => arguments.push(self.argument()?.into()),
            }
        }
    }

    /// A word, or a text in quotes; `None` for quotes without an end.
    fn argument(&mut self) -> Option<&'t str> {
        let (mut is_quoted, mut is_escaped) = (false, false);
        for (at, letter) in self.rest.char_indices() {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => is_quoted = !is_quoted,
                _ if is_quoted => {}
                '(' | ')' | '#' => return Some(self.take(at)),
                letter if letter.is_whitespace() => return Some(self.take(at)),
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_arguments() {
        let text = "Set(A \"b ) #\" c;d [=[ e ]] ) ]=] (f OR (g))) # h\n#[[ i() ]] j ( \\( )\n";
        let read = commands(text).unwrap_or_default();
        let arguments = |command: &CmakeCommand<'_>| command.arguments.join("|");
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].name, "set");
        assert_eq!(arguments(&read[0]), "A|\"b ) #\"|c;d|[=[ e ]] ) ]=]|(|f|OR|(|g|)|)");
        assert_eq!(arguments(&read[1]), "\\(");
    }

    #[test]
    fn what_is_no_script_is_not_read() {
        for text in ["a", "a(", "a(\"b)", "a([[b)", "@A\nb()", "a() )", "#[[ a()"] {
            assert_eq!(commands(text), None, "{text}");
        }
        assert_eq!(commands("@A@\nb()").map(|all| all.len()), Some(2));
        assert_eq!(commands(" # nothing\n"), Some(Vec::new()));
    }
}
