//! A profile with the look-ups that scoring needs: by name, by place, by caller.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::languages::{Language, language_of};
use profile::{Profile, ProfileCallSite, ProfileFunction, ProfileFunctionId};

/// A profile and where to find things in it. Built once a sample, shared by all versions scored on it and by its own clones.
#[derive(Debug, Clone)]
pub struct IndexedProfile {
    profile: Arc<Profile>,
    by_name: Arc<HashMap<Box<str>, Vec<ProfileFunctionId>>>,
    by_file: Arc<FunctionsByFile>,
    lines: Arc<HashMap<Box<str>, Vec<LineCount>>>,
    sites: Arc<[Vec<usize>]>,
    callers: Arc<[Vec<usize>]>,
    cheapest_call: f64,
    dearest_call: f64,
    typical_calls: (f64, f64),
    most_rounds: f64,
    firm_costs: Arc<[Option<f64>]>,
}

/// The functions of each file, by line.
type FunctionsByFile = HashMap<Box<str>, Vec<(u32, ProfileFunctionId)>>;

/// The counts of one line in the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCount {
    /// 1-based.
    pub line: u32,
    /// Times the line's block was executed.
    pub executions: u64,
    /// Cost of the line's own instructions.
    pub self_cost: u64,
}

/// Which quantile of the costs per call is a typical one.
const TYPICAL: f64 = 0.5;
/// Which quantile is a dear one: the highest are the benchmark's own main loops, and say nothing of a call.
const DEAR: f64 = 0.8;

/// Functions that are inlined into each other are followed so far.
const DEEPEST_INLINING: u32 = 20;

/// The segment by which closures are named.
const CLOSURE: &str = "{closure}";

impl IndexedProfile {
    /// Builds the look-ups.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        let mut by_name: HashMap<Box<str>, Vec<ProfileFunctionId>> = HashMap::new();
        let mut by_file = FunctionsByFile::new();
        let mut lines: HashMap<Box<str>, Vec<LineCount>> = HashMap::new();
        let mut sites = vec![Vec::new(); profile.functions.len()];
        let mut callers = sites.clone();
        let (mut cheapest_call, mut dearest_call) = (f64::INFINITY, 0.0_f64);
        let mut repeated = Vec::new();
        for (index, function) in profile.functions.iter().enumerate() {
            let id = ProfileFunctionId(u32::try_from(index).expect("a profile has fewer than 2^32 functions"));
            by_name.entry(last_segment(&function.name).into()).or_default().push(id);
            if let Some(file) = function.file {
                by_file
                    .entry(profile.file(file).into())
                    .or_default()
                    .push((function.line, id));
            }
            if function.calls > 0 {
                let cost = function.inclusive as f64 / function.calls as f64;
                cheapest_call = cheapest_call.min(cost);
                dearest_call = dearest_call.max(cost);
                // Functions that are called once are the benchmark itself and its setup.
                if function.calls > 1 {
                    repeated.push(cost);
                }
            }
        }
        for line in &profile.lines {
            lines
                .entry(profile.file(line.file).into())
                .or_default()
                .push(LineCount {
                    line: line.line,
                    executions: line.executions,
                    self_cost: line.self_cost,
                });
        }
        for (index, site) in profile.sites.iter().enumerate() {
            sites[site.caller.0 as usize].push(index);
            callers[site.callee.0 as usize].push(index);
        }
        for functions in by_file.values_mut() {
            functions.sort_unstable();
        }
        for counts in lines.values_mut() {
            counts.sort_unstable_by_key(|count| count.line);
        }
        let firm_costs = firm_costs(&profile);
        let most_rounds = most_rounds(&profile, &by_file);
        Self {
            profile: Arc::new(profile),
            firm_costs: firm_costs.into(),
            most_rounds,
            by_name: Arc::new(by_name),
            by_file: Arc::new(by_file),
            lines: Arc::new(lines),
            sites: sites.into(),
            callers: callers.into(),
            cheapest_call: if cheapest_call.is_finite() { cheapest_call } else { 0.0 },
            dearest_call,
            typical_calls: (quantile(&mut repeated, TYPICAL), quantile(&mut repeated, DEAR)),
        }
    }

    /// The most rounds that loops of the project's own functions ran in one call, those in each other multiplied; 1 if
    /// none ran twice. It tells how much data a benchmark handles at once.
    #[must_use]
    pub fn most_rounds(&self) -> f64 {
        self.most_rounds
    }

    /// The profile itself.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// μ[v, b], at least 1 so that shares are defined.
    #[must_use]
    pub fn total(&self) -> f64 {
        (self.profile.total as f64).max(1.0)
    }

    /// Functions whose last name segment is `name`.
    #[must_use]
    pub fn functions_named(&self, name: &str) -> &[ProfileFunctionId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Functions declared in `file` between two lines, both included; closures left out.
    pub fn declared(&self, file: &str, first: u32, last: u32) -> impl Iterator<Item = ProfileFunctionId> {
        self.declarations(file, first, last)
            .filter(|&id| !is_closure(&self.profile.function(id).name))
    }

    /// Closures declared in `file` between two lines, both included.
    pub fn closures(&self, file: &str, first: u32, last: u32) -> impl Iterator<Item = ProfileFunctionId> {
        self.declarations(file, first, last)
            .filter(|&id| is_closure(&self.profile.function(id).name))
    }

    fn declarations(&self, file: &str, first: u32, last: u32) -> impl Iterator<Item = ProfileFunctionId> {
        let all = self.by_file.get(file).map_or(&[][..], Vec::as_slice);
        let start = all.partition_point(|&(line, _)| line < first);
        let end = all.partition_point(|&(line, _)| line <= last);
        all[start..end.max(start)].iter().map(|&(_, id)| id)
    }

    /// Executed lines of `file` between two lines, both included.
    #[must_use]
    pub fn lines(&self, file: &str, first: u32, last: u32) -> &[LineCount] {
        let all = self.lines.get(file).map_or(&[][..], Vec::as_slice);
        let start = all.partition_point(|count| count.line < first);
        let end = all.partition_point(|count| count.line <= last);
        &all[start..end.max(start)]
    }

    /// The call sites in a function.
    pub fn sites(&self, caller: ProfileFunctionId) -> impl Iterator<Item = &ProfileCallSite> {
        self.sites[caller.0 as usize]
            .iter()
            .map(|&index| &self.profile.sites[index])
    }

    /// The call sites of a function.
    pub fn callers(&self, callee: ProfileFunctionId) -> impl Iterator<Item = &ProfileCallSite> {
        self.callers[callee.0 as usize]
            .iter()
            .map(|&index| &self.profile.sites[index])
    }

    /// Project files that hold executed functions, in no particular order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.by_file.keys().map(AsRef::as_ref)
    }

    /// True if it holds a function of the project from a source in a language.
    pub(crate) fn holds(&self, language: Language) -> bool {
        let is_own = |(_, id): &(u32, ProfileFunctionId)| !self.profile.function(*id).external;
        (self.by_file.iter())
            .any(|(file, functions)| language_of(file) == Some(language) && functions.iter().any(is_own))
    }

    /// Average inclusive cost of one call; `None` for a function that was never entered.
    #[must_use]
    pub fn cost_per_call(&self, id: ProfileFunctionId) -> Option<f64> {
        let function = self.profile.function(id);
        (function.calls > 0).then(|| function.inclusive as f64 / function.calls as f64)
    }

    /// The cost of a call that remains wherever the function is inlined: that of the calls that stay calls. All of it
    /// for a function that is never inlined; `None` for one that was never entered.
    #[must_use]
    pub fn non_inlined_cost_per_call(&self, id: ProfileFunctionId) -> Option<f64> {
        self.firm_costs[id.0 as usize]
    }

    /// The lowest cost per call of any function.
    #[must_use]
    pub fn cheapest_call(&self) -> f64 {
        self.cheapest_call
    }

    /// A typical and a dear cost per call over all functions called more than once.
    #[must_use]
    pub fn typical_costs_per_call(&self) -> (f64, f64) {
        self.typical_calls
    }

    /// The highest cost per call of any function.
    #[must_use]
    pub fn highest_cost_per_call(&self) -> f64 {
        self.dearest_call
    }
}

/// The value below which a share of the values lies; 0 where there are none.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    values.get((last * share).round() as usize).copied().unwrap_or(0.0)
}

/// The last segment of a function's name; for a closure that of the function around it.
#[must_use]
pub fn last_segment(name: &str) -> &str {
    name.rsplit(['.', ':'])
        .find(|segment| !segment.is_empty())
        .unwrap_or(name)
}

/// True for `function::{closure}`.
#[must_use]
pub fn is_closure(name: &str) -> bool {
    name.ends_with(CLOSURE)
}

/// See [`IndexedProfile::most_rounds`]. Functions that are called once are the benchmark itself: its loop repeats what it
/// measures.
fn most_rounds(profile: &Profile, by_file: &FunctionsByFile) -> f64 {
    let is_own = |function: &ProfileFunction| !function.external && function.calls > 1;
    let rounds = |function: &ProfileFunction, executions: u64| executions as f64 / function.calls as f64;
    let of_lines = profile.lines.iter().filter_map(|line| {
        let functions = by_file.get(profile.file(line.file))?;
        let above = functions.partition_point(|&(first, _)| first <= line.line);
        let (_, id) = functions.get(above.checked_sub(1)?)?;
        let function = profile.function(*id);
        is_own(function).then(|| rounds(function, line.executions))
    });
    let of_sites = profile.sites.iter().filter_map(|site| {
        let caller = profile.function(site.caller);
        is_own(caller).then(|| rounds(caller, site.calls))
    });
    of_lines.chain(of_sites).fold(1.0, f64::max)
}

/// For each function, [`IndexedProfile::firm_cost_per_call`]. From the innermost outwards, a level of inlining each time.
fn firm_costs(profile: &Profile) -> Vec<Option<f64>> {
    let per_call = |cost: f64, calls: u64| (calls > 0).then(|| cost / calls as f64);
    let functions = &profile.functions;
    let mut firm: Vec<Option<f64>> = functions
        .iter()
        .map(|function| match function.inlined_calls {
            0 => per_call(function.inclusive as f64, function.calls),
            _ => per_call(0.0, function.calls),
        })
        .collect();
    for _ in 0..DEEPEST_INLINING {
        let mut inside = vec![0.0; functions.len()];
        for site in &profile.sites {
            inside[site.caller.0 as usize] += match site.inlined {
                false => site.inclusive as f64,
                true => site.calls as f64 * firm[site.callee.0 as usize].unwrap_or(0.0),
            };
        }
        let mut is_settled = true;
        for ((function, inside), known) in functions.iter().zip(inside).zip(&mut firm) {
            if function.inlined_calls > 0 {
                let found = per_call(inside.min(function.inclusive as f64), function.calls);
                is_settled &= *known == found;
                *known = found;
            }
        }
        if is_settled {
            break;
        }
    }
    firm
}
