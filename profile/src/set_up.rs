//! The profile of a subject, and that of the whole process around it → the first, with the functions of the set-up.

use std::collections::BTreeSet;

use crate::{Profile, ProfileFileId, ProfileFunction};

impl Profile {
    /// This profile of a subject, with the functions of the project that the whole process executed and the subject did not.
    /// They have no calls and no costs ([`ProfileFunction::is_of_set_up`]). The process may be that of another build of
    /// the same source.
    #[must_use]
    pub fn with_set_up(mut self, process: &Self) -> Self {
        let key = |profile: &Self, function: &ProfileFunction| {
            let file = function.file.map(|file| profile.file(file).to_owned());
            (function.name.clone(), file, function.line)
        };
        let known: BTreeSet<_> = (self.functions.iter()).map(|function| key(&self, function)).collect();
        let only_of_process: Vec<&ProfileFunction> = (process.functions.iter())
            .filter(|function| !function.external && !known.contains(&key(process, function)))
            .collect();
        for function in only_of_process {
            let file = function.file.map(|file| self.file_id(process.file(file)));
            self.functions.push(ProfileFunction {
                file,
                calls: 0,
                inlined_calls: 0,
                inclusive: 0,
                self_cost: 0,
                estimated: false,
                ..function.clone()
            });
        }
        self.sort_functions();
        self
    }

    /// The number of a file, which becomes one of this profile's.
    pub(crate) fn file_id(&mut self, name: &str) -> ProfileFileId {
        let at = self.files.iter().position(|file| file == name).unwrap_or_else(|| {
            self.files.push(name.to_owned());
            self.files.len() - 1
        });
        ProfileFileId(u32::try_from(at).expect("a profile has fewer than 2³² files"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CostUnit, ProfileCallSite, ProfileFunctionId};

    fn profile(files: &[&str], functions: Vec<ProfileFunction>, sites: Vec<ProfileCallSite>) -> Profile {
        Profile {
            benchmark: "b".to_owned(),
            unit: CostUnit::Instructions,
            profiler: "callgrind".to_owned(),
            exact_counts: true,
            total: functions.iter().map(|function| function.self_cost).sum(),
            files: files.iter().map(|&file| file.to_owned()).collect(),
            functions,
            sites,
            lines: Vec::new(),
        }
    }

    fn function(name: &str, file: u32, calls: u64, cost: u64) -> ProfileFunction {
        ProfileFunction {
            name: name.to_owned(),
            file: Some(ProfileFileId(file)),
            line: 3,
            external: false,
            calls,
            inlined_calls: 0,
            inclusive: cost,
            self_cost: cost,
            estimated: true,
        }
    }

    fn site(caller: u32, callee: u32) -> ProfileCallSite {
        ProfileCallSite {
            caller: ProfileFunctionId(caller),
            callee: ProfileFunctionId(callee),
            file: None,
            line: 5,
            calls: 2,
            inclusive: 40,
            inlined: false,
            estimated: false,
        }
    }

    #[test]
    fn functions_that_only_the_process_executed_are_added_without_costs() {
        let subject = profile(
            &["a.c"],
            vec![function("subject", 0, 1, 60), function("work", 0, 2, 40)],
            vec![site(0, 1)],
        );
        let outside = ProfileFunction {
            external: true,
            ..function("read", 0, 1, 7)
        };
        let process = profile(
            &["b.c", "a.c"],
            vec![
                function("input", 0, 1, 300),
                outside,
                function("subject", 1, 1, 60),
                function("work", 1, 9, 180),
            ],
            Vec::new(),
        );
        let with_set_up = subject.clone().with_set_up(&process);
        let named: Vec<_> = (with_set_up.functions.iter())
            .map(|function| (&*function.name, function.is_of_set_up(), function.self_cost))
            .collect();
        assert_eq!(named, [("input", true, 0), ("subject", false, 60), ("work", false, 40)]);
        let file_of_input = with_set_up.functions[0].file.map(|file| with_set_up.file(file));
        assert_eq!(file_of_input, Some("b.c"));
        assert_eq!(with_set_up.sites, [site(1, 2)]);
        assert_eq!(with_set_up.total, subject.total);
    }

    #[test]
    fn a_subject_that_is_the_whole_process_stays_as_it_is() {
        let whole = profile(&["a.c"], vec![function("main", 0, 1, 9)], Vec::new());
        assert_eq!(whole.clone().with_set_up(&whole), whole);
    }
}
