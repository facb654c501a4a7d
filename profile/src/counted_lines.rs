//! The profile of a program, and how often its lines ran in another run of it → the profile with these lines.

use crate::{Profile, ProfileLine};

impl Profile {
    /// This profile with lines of the named files, by file and line. They have no cost of their own: nobody measured it.
    #[must_use]
    pub fn with_lines(mut self, counted: impl IntoIterator<Item = (String, u32, u64)>) -> Self {
        for (file, line, executions) in counted {
            let file = self.file_id(&file);
            self.lines.push(ProfileLine {
                file,
                line,
                executions,
                self_cost: 0,
                estimated: false,
            });
        }
        self.lines.sort_by_key(|line| (line.file, line.line));
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::{CostUnit, Profile, ProfileFileId};

    #[test]
    fn lines_are_those_of_files_that_are_known_or_new() {
        let profile = Profile {
            benchmark: "b".to_owned(),
            unit: CostUnit::Instructions,
            profiler: "callgrind".to_owned(),
            exact_counts: true,
            total: 0,
            files: vec!["a.py".to_owned()],
            functions: Vec::new(),
            sites: Vec::new(),
            lines: Vec::new(),
        };
        let counted = [("b.py", 3, 7), ("a.py", 9, 1), ("a.py", 2, 5)];
        let profile = profile.with_lines(counted.map(|(file, line, count)| (file.to_owned(), line, count)));
        assert_eq!(profile.files, ["a.py", "b.py"]);
        let lines: Vec<_> = (profile.lines.iter())
            .map(|line| (line.file, line.line, line.executions, line.self_cost))
            .collect();
        let file = ProfileFileId;
        assert_eq!(lines, [(file(0), 2, 5, 0), (file(0), 9, 1, 0), (file(1), 3, 7, 0)]);
    }
}
