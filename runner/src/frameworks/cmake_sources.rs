//! The build files of CMake in a repository → the programs and options that they declare, as far as they are written out.

use super::found_suites::RepositorySources;

/// The build file of a folder.
const BUILD_FILE: &str = "CMakeLists.txt";

/// The folder that suites are built in, below the one that all versions share.
const FOLDER: &str = "cmake";

/// The words of an option's name that say nothing of what it turns on.
const SAYING_NOTHING: [&str; 3] = ["BUILD", "ENABLE", "WITH"];

/// The commands of all build files.
pub(super) struct CmakeSources {
    /// Each with the folder that its file is in.
    commands: Vec<(String, CmakeCommand)>,
}

/// A command such as `add_executable(bench bench.cpp)`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CmakeCommand {
    /// In small letters.
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
}

impl CmakeSources {
    /// `None` in a repository that is not built by CMake.
    pub(super) fn of(sources: &RepositorySources<'_>) -> Option<Self> {
        let files = sources
            .paths()
            .filter(|path| path.rsplit('/').next() == Some(BUILD_FILE));
        files.clone().find(|path| *path == BUILD_FILE)?;
        let of_file = |path: &str| {
            let folder = path
                .strip_suffix(BUILD_FILE)
                .unwrap_or_default()
                .trim_end_matches('/')
                .to_owned();
            let text = sources.text(path).unwrap_or_default();
            commands(&text)
                .into_iter()
                .map(move |command| (folder.clone(), command))
        };
        Some(Self {
            commands: files.flat_map(of_file).collect(),
        })
    }

    /// The commands of these names, each with the folder of its file.
    pub(super) fn named(&self, names: &[&str]) -> impl Iterator<Item = (&str, &CmakeCommand)> {
        let is_one = |command: &CmakeCommand| names.contains(&command.name.as_str());
        let all = self.commands.iter().filter(move |(_, command)| is_one(command));
        all.map(|(folder, command)| (folder.as_str(), command))
    }

    /// The command that builds targets, or all where none is named, with the option turned on whose name says this word alone.
    pub(super) fn build(&self, option_word: &str, targets: &[&str]) -> Vec<String> {
        let mut build = format!("cmake -S . -B \"$CARGO_TARGET_DIR/{FOLDER}\" -DCMAKE_BUILD_TYPE=RelWithDebInfo");
        for (_, option) in self.named(&["option", "cmake_dependent_option"]) {
            let [name, _, default, ..] = option.arguments.as_slice() else {
                continue;
            };
            if is_plain(name) && self.turns_on(name, option_word) && default.eq_ignore_ascii_case("OFF") {
                build += &format!(" -D{name}=ON");
            }
        }
        build += &format!(" && cmake --build \"$CARGO_TARGET_DIR/{FOLDER}\"");
        for target in targets {
            build += &format!(" --target {target}");
        }
        ["sh", "-c", &build].map(str::to_owned).into()
    }

    /// True for an option such as `TOOL_BUILD_TESTS`, with `TEST` as the word: the project's name stands before it.
    fn turns_on(&self, option: &str, word: &str) -> bool {
        let projects = self
            .named(&["project"])
            .filter_map(|(_, command)| command.arguments.first());
        let names: Vec<String> = projects
            .map(|name| name.to_uppercase().replace(['-', '.'], "_"))
            .collect();
        let is_named = |words: &[&str]| words.len() < 2 || names.contains(&words.join("_"));
        let words: Vec<&str> = option
            .split('_')
            .filter(|word| !SAYING_NOTHING.contains(word))
            .collect();
        match words.as_slice() {
            [project @ .., last] => last.starts_with(word) && is_named(project),
            [] => false,
        }
    }

    /// The programs that are linked with one of these libraries, each with its folder.
    pub(super) fn programs_with(&self, libraries: &[&str]) -> Vec<(&str, &str)> {
        let links = |program: &str| {
            let mut linked = self.named(&["target_link_libraries"]);
            linked.any(|(_, command)| {
                let arguments = &command.arguments;
                (arguments.first().is_some_and(|target| target == program))
                    && arguments
                        .iter()
                        .skip(1)
                        .any(|library| libraries.contains(&library.as_str()))
            })
        };
        let programs = self.named(&["add_executable"]).filter_map(|(folder, command)| {
            let program = command.arguments.first()?.as_str();
            (is_plain(program) && links(program)).then_some((folder, program))
        });
        programs.collect()
    }

    /// Where a program of a folder is built: as `run` in lito.toml names it.
    pub(super) fn program(&self, folder: &str, program: &str) -> String {
        let set = self
            .named(&["set"])
            .find_map(|(_, command)| match command.arguments.as_slice() {
                [variable, value, ..] if variable == "CMAKE_RUNTIME_OUTPUT_DIRECTORY" => Some(value.as_str()),
                _ => None,
            });
        let root = [
            "${CMAKE_BINARY_DIR}",
            "${PROJECT_BINARY_DIR}",
            "${CMAKE_CURRENT_BINARY_DIR}",
        ];
        let set = set.and_then(|value| root.iter().find_map(|root| value.strip_prefix(root)));
        let folder = set.map_or(folder, |below| below.trim_matches('/'));
        let parts = ["target", FOLDER, folder, program]
            .into_iter()
            .filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("/")
    }
}

/// The folder that `ctest` is started in.
pub(super) fn build_folder() -> String {
    format!("target/{FOLDER}")
}

/// True for a name that is written out, and that a shell takes as it is.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "_-.+".contains(letter))
}

/// The commands of a build file. What is not closed is left out.
fn commands(text: &str) -> Vec<CmakeCommand> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, behind)) = next_command(rest) {
        let Some((arguments, behind)) = arguments(behind) else {
            break;
        };
        found.push(CmakeCommand {
            name: name.to_ascii_lowercase(),
            arguments,
        });
        rest = behind;
    }
    found
}

/// The name of the next command, and the text behind its bracket.
fn next_command(text: &str) -> Option<(&str, &str)> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix('#') {
            rest = comment.split_once('\n')?.1;
            continue;
        }
        let end = rest
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .filter(|end| *end > 0);
        match end.map(|end| (&rest[..end], rest[end..].trim_start())) {
            Some((name, behind)) if behind.starts_with('(') => return Some((name, &behind[1..])),
            // Nothing that CMake would read either.
            _ => rest = rest.split_once('\n')?.1,
        }
    }
}

/// The arguments up to the closing bracket, and the text behind it.
fn arguments(text: &str) -> Option<(Vec<String>, &str)> {
    let mut found = Vec::new();
    let mut open = 1;
    let mut letters = text.char_indices().peekable();
    let mut word = String::new();
    while let Some((at, letter)) = letters.next() {
        let is_end = letter.is_whitespace() || ";()#\"".contains(letter);
        if is_end && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            '#' => while letters.next_if(|(_, letter)| *letter != '\n').is_some() {},
            '"' => {
                let mut quoted = String::new();
                while let Some((_, letter)) = letters.next_if(|(_, letter)| *letter != '"') {
                    quoted.push(letter);
                    if letter == '\\' {
                        quoted.extend(letters.next().map(|(_, letter)| letter));
                    }
                }
                letters.next()?;
                found.push(quoted);
            }
            _ if !is_end => word.push(letter),
            _ => {}
        }
        if open == 0 {
            return Some((found, &text[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_arguments() {
        let text = "# add_executable(none)\nADD_EXECUTABLE ( bench # why\n  \"a b.cpp\" c.cpp;d.cpp )\nif(NOT (A AND B))\nendif()\nset(x";
        let found: Vec<String> = (commands(text).into_iter())
            .map(|command| format!("{} {}", command.name, command.arguments.join("|")))
            .collect();
        assert_eq!(
            found,
            ["add_executable bench|a b.cpp|c.cpp|d.cpp", "if NOT|A|AND|B", "endif "]
        );
    }
}
