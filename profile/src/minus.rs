//! The profiles of a short run of a program and of a longer one → the profile of what the longer run did in addition.

use std::collections::BTreeMap;

use crate::{Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId, ProfileLine};

/// A function by what two profiles of one program have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FunctionKey<'p> {
    name: &'p str,
    file: Option<&'p str>,
    line: u32,
    /// Its place among the functions of which the rest is the same.
    number: u32,
}

/// A call site by what two profiles of one program have in common.
type SiteKey<'p> = (FunctionKey<'p>, FunctionKey<'p>, Option<&'p str>, u32, bool);

impl Profile {
    /// The further execution of this run, beyond a shorter run of the same program, in the unit of both. Every call and cost
    /// is the difference of the two, and at least 0. What both executed alike, such as the start of the program, is left
    /// out, except for the functions of the project: they stay, without calls and costs
    /// ([`ProfileFunction::is_of_set_up`]).
    #[must_use]
    pub fn minus(&self, shorter: &Self) -> Self {
        let keys = function_keys(self);
        let shorter_keys = function_keys(shorter);
        let functions_before: BTreeMap<_, _> = shorter_keys.iter().zip(&shorter.functions).collect();
        let mut kept = vec![None; self.functions.len()];
        let mut functions = Vec::new();
        for (at, (key, function)) in keys.iter().zip(&self.functions).enumerate() {
            let further = function_minus(function, functions_before.get(key).copied());
            if !further.is_of_set_up() || !further.external {
                kept[at] = u32::try_from(functions.len()).ok().map(ProfileFunctionId);
                functions.push(further);
            }
        }
        let sites_before: BTreeMap<SiteKey<'_>, &ProfileCallSite> = (shorter.sites.iter())
            .map(|site| (site_key(shorter, &shorter_keys, site), site))
            .collect();
        let sites = self.sites.iter().filter_map(|site| {
            let before = sites_before.get(&site_key(self, &keys, site));
            let further = ProfileCallSite {
                caller: kept[site.caller.0 as usize]?,
                callee: kept[site.callee.0 as usize]?,
                calls: site.calls.saturating_sub(before.map_or(0, |before| before.calls)),
                inclusive: site
                    .inclusive
                    .saturating_sub(before.map_or(0, |before| before.inclusive)),
                estimated: site.estimated || before.is_some_and(|before| before.estimated),
                ..site.clone()
            };
            (further.calls > 0 || further.inclusive > 0).then_some(further)
        });
        let lines_before: BTreeMap<(&str, u32), &ProfileLine> = (shorter.lines.iter())
            .map(|line| ((shorter.file(line.file), line.line), line))
            .collect();
        let lines = self.lines.iter().filter_map(|line| {
            let before = lines_before.get(&(self.file(line.file), line.line));
            let further = ProfileLine {
                executions: line
                    .executions
                    .saturating_sub(before.map_or(0, |before| before.executions)),
                self_cost: line
                    .self_cost
                    .saturating_sub(before.map_or(0, |before| before.self_cost)),
                estimated: line.estimated || before.is_some_and(|before| before.estimated),
                ..line.clone()
            };
            (further.executions > 0 || further.self_cost > 0).then_some(further)
        });
        Self {
            exact_counts: self.exact_counts && shorter.exact_counts,
            total: self.total.saturating_sub(shorter.total),
            sites: sites.collect(),
            lines: lines.collect(),
            functions,
            benchmark: self.benchmark.clone(),
            unit: self.unit,
            profiler: self.profiler.clone(),
            files: self.files.clone(),
        }
    }
}

fn function_minus(function: &ProfileFunction, shorter: Option<&ProfileFunction>) -> ProfileFunction {
    let less = |value: u64, of: fn(&ProfileFunction) -> u64| value.saturating_sub(shorter.map_or(0, of));
    ProfileFunction {
        calls: less(function.calls, |shorter| shorter.calls),
        inlined_calls: less(function.inlined_calls, |shorter| shorter.inlined_calls),
        inclusive: less(function.inclusive, |shorter| shorter.inclusive),
        self_cost: less(function.self_cost, |shorter| shorter.self_cost),
        estimated: function.estimated || shorter.is_some_and(|shorter| shorter.estimated),
        ..function.clone()
    }
}

/// The keys of a profile's functions, which are sorted by the rest of the key.
fn function_keys(profile: &Profile) -> Vec<FunctionKey<'_>> {
    let mut keys: Vec<FunctionKey<'_>> = Vec::with_capacity(profile.functions.len());
    for function in &profile.functions {
        let key = FunctionKey {
            name: &function.name,
            file: file_name(profile, function.file),
            line: function.line,
            number: 0,
        };
        let alike = keys.last().filter(|last| FunctionKey { number: 0, ..**last } == key);
        let number = alike.map_or(0, |last| last.number + 1);
        keys.push(FunctionKey { number, ..key });
    }
    keys
}

fn site_key<'p>(profile: &'p Profile, functions: &[FunctionKey<'p>], site: &ProfileCallSite) -> SiteKey<'p> {
    (
        functions[site.caller.0 as usize],
        functions[site.callee.0 as usize],
        file_name(profile, site.file),
        site.line,
        site.inlined,
    )
}

fn file_name(profile: &Profile, file: Option<ProfileFileId>) -> Option<&str> {
    file.map(|file| profile.file(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CostUnit;

    fn function(name: &str, line: u32, calls: u64, cost: u64) -> ProfileFunction {
        ProfileFunction {
            name: name.to_owned(),
            file: Some(ProfileFileId(0)),
            line,
            external: false,
            calls,
            inlined_calls: 0,
            inclusive: cost,
            self_cost: cost,
            estimated: false,
        }
    }

    fn site(caller: u32, callee: u32, calls: u64, inclusive: u64) -> ProfileCallSite {
        ProfileCallSite {
            caller: ProfileFunctionId(caller),
            callee: ProfileFunctionId(callee),
            file: None,
            line: 3,
            calls,
            inclusive,
            inlined: false,
            estimated: false,
        }
    }

    fn profile(functions: Vec<ProfileFunction>, sites: Vec<ProfileCallSite>, executions: u64) -> Profile {
        Profile {
            benchmark: "b".to_owned(),
            unit: CostUnit::Instructions,
            profiler: "callgrind".to_owned(),
            exact_counts: true,
            total: functions.iter().map(|function| function.self_cost).sum(),
            files: vec!["a.c".to_owned()],
            functions,
            sites,
            lines: vec![ProfileLine {
                file: ProfileFileId(0),
                line: 3,
                executions,
                self_cost: executions * 2,
                estimated: false,
            }],
        }
    }

    #[test]
    fn what_both_runs_do_alike_is_left_out_and_the_rest_is_the_difference() {
        let functions = |rounds: u64| {
            let loader = ProfileFunction {
                external: true,
                ..function("read", 5, 1, 70)
            };
            vec![
                function("main", 1, 1, 100 + rounds),
                loader,
                function("work", 9, 3 * rounds, 40 * rounds),
                // Its namesake, which only the start calls.
                function("work", 9, 2, 8),
            ]
        };
        let sites = |rounds: u64| vec![site(0, 1, 1, 70), site(0, 2, 3 * rounds, 40 * rounds), site(1, 3, 2, 8)];
        let further = profile(functions(10), sites(10), 50).minus(&profile(functions(5), sites(5), 25));
        assert_eq!(further.total, 5 + 200);
        let names: Vec<_> = (further.functions.iter())
            .map(|function| (&*function.name, function.calls, function.self_cost))
            .collect();
        assert_eq!(names, [("main", 0, 5), ("work", 15, 200), ("work", 0, 0)]);
        let of_set_up: Vec<bool> = further.functions.iter().map(ProfileFunction::is_of_set_up).collect();
        assert_eq!(of_set_up, [false, false, true]);
        assert_eq!(further.sites, [site(0, 1, 15, 200)]);
        assert_eq!((further.lines[0].executions, further.lines[0].self_cost), (25, 50));
    }

    #[test]
    fn nothing_is_left_of_two_equal_runs() {
        let one = profile(vec![function("main", 1, 1, 9)], Vec::new(), 1);
        let none = one.minus(&one);
        assert!(none.functions.iter().all(ProfileFunction::is_of_set_up));
        assert!(none.lines.is_empty() && none.total == 0);
    }

    #[test]
    fn a_function_that_only_the_longer_run_has_is_whole() {
        let one = profile(vec![function("main", 1, 1, 9)], Vec::new(), 1);
        let two = profile(
            vec![function("late", 7, 4, 6), function("main", 1, 1, 9)],
            vec![site(1, 0, 4, 6)],
            1,
        );
        let further = two.minus(&one);
        assert_eq!(
            further.functions,
            [function("late", 7, 4, 6), function("main", 1, 0, 0)]
        );
        assert_eq!(further.sites, [site(1, 0, 4, 6)]);
    }
}
