//! Versions and profiles made by hand: sources as strings, costs as numbers.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use analyzer::change::ChangeKind;
use analyzer::cost::PriceList;
use analyzer::sample::{IndexedProfile, Sample, SampleInputs};
use analyzer::score::{
    BenchmarkEffect, CostModel, KnownWords, NearestSample, ScoreOptions, VersionScore, VersionSources, score,
};
use analyzer::sources::{Blob, ContentId, FileChange, FileSource, ListedFile, OutsideSources, SourceContent};
use analyzer::syntax::ParseCache;
use profile::inputs::{CompilationUnit, CompiledInputs, InputRecord, OpenedFiles};
use profile::{CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId, ProfileLine};

/// All files of a version.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScoringTestFiles(BTreeMap<String, String>);

/// A crate of one file.
pub(crate) fn library(source: &str) -> ScoringTestFiles {
    ScoringTestFiles::default()
        .with(
            "Cargo.toml",
            "[package]\nname = \"k\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .with("src/lib.rs", source)
}

impl ScoringTestFiles {
    /// With another file, or another content of one.
    pub(crate) fn with(mut self, path: &str, content: &str) -> Self {
        self.0.insert(path.to_owned(), content.to_owned());
        self
    }

    /// The same with a text replaced wherever it stands.
    pub(crate) fn replaced(&self, from: &str, to: &str) -> Self {
        let replaced = |(path, content): (&String, &String)| (path.clone(), content.replace(from, to));
        Self(self.0.iter().map(replaced).collect())
    }

    /// The same files in another folder.
    pub(crate) fn below(&self, folder: &str) -> Self {
        let moved = |(path, content): (&String, &String)| (format!("{folder}/{path}"), content.clone());
        Self(self.0.iter().map(moved).collect())
    }

    /// The content of a file.
    pub(crate) fn content(&self, path: &str) -> &str {
        &self.0[path]
    }

    /// The line, 1-based, of the only place in `src/lib.rs` that holds a text.
    pub(crate) fn line_of(&self, text: &str) -> u32 {
        let lines: Vec<usize> = self.0["src/lib.rs"]
            .lines()
            .enumerate()
            .filter(|(_, line)| line.contains(text))
            .map(|(index, _)| index + 1)
            .collect();
        assert_eq!(lines.len(), 1, "{text:?} stands in lines {lines:?}");
        u32::try_from(lines[0]).expect("a short file")
    }
}

impl FileSource for ScoringTestFiles {
    fn file(&self, path: &str) -> Option<Blob> {
        let content = self.0.get(path)?;
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        let mut id = [0; 20];
        id[..8].copy_from_slice(&hasher.finish().to_be_bytes());
        Some(Blob {
            id: ContentId(id),
            content: SourceContent::Bytes(content.as_bytes().into()),
        })
    }

    fn all_files(&self) -> Option<Vec<ListedFile>> {
        let files = self.0.keys().filter_map(|path| {
            let id = self.id(path)?;
            let path = path.as_str().into();
            Some(ListedFile { path, id })
        });
        Some(files.collect())
    }
}

pub(crate) fn differences(before: &ScoringTestFiles, after: &ScoringTestFiles) -> Vec<FileChange> {
    let mut paths: Vec<&String> = before.0.keys().chain(after.0.keys()).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .filter(|path| before.0.get(*path) != after.0.get(*path))
        .map(|path| FileChange {
            path: path.as_str().into(),
            before: before.file(path),
            after: after.file(path),
        })
        .collect()
}

/// A profile written down by hand. Every function is the project's unless its name starts with another
/// crate than `k`.
pub(crate) struct ScoringTestProfile {
    profile: Profile,
}

impl ScoringTestProfile {
    /// A benchmark of a total cost.
    pub(crate) fn new(benchmark: &str, total: u64) -> Self {
        Self {
            profile: Profile {
                benchmark: benchmark.to_owned(),
                unit: CostUnit::Instructions,
                profiler: "by hand".to_owned(),
                exact_counts: true,
                total,
                files: vec!["src/lib.rs".to_owned()],
                functions: Vec::new(),
                sites: Vec::new(),
                lines: Vec::new(),
            },
        }
    }

    /// The same with another total.
    pub(crate) fn of_total(mut self, total: u64) -> Self {
        self.profile.total = total;
        self
    }

    /// A function that was called so often, at an inclusive and a self cost.
    pub(crate) fn function(mut self, name: &str, line: u32, calls: u64, (inclusive, self_cost): (u64, u64)) -> Self {
        let external = !name.starts_with("k::");
        let file = if external {
            let package = name.split("::").next().expect("a name has segments");
            self.profile.files.push(format!("{package}-1.0.0/src/lib.rs"));
            ProfileFileId(u32::try_from(self.profile.files.len() - 1).expect("few files"))
        } else {
            ProfileFileId(0)
        };
        self.profile.functions.push(ProfileFunction {
            name: name.to_owned(),
            file: Some(file),
            line,
            external,
            calls,
            inlined_calls: 0,
            inclusive,
            self_cost,
            estimated: false,
        });
        self
    }

    /// The last function is one of the project's, declared in another file.
    pub(crate) fn in_file(mut self, path: &str) -> Self {
        self.profile.files.push(path.to_owned());
        let file = ProfileFileId(u32::try_from(self.profile.files.len() - 1).expect("few files"));
        let last = self.profile.functions.last_mut().expect("a function was given before");
        last.file = Some(file);
        last.external = false;
        self
    }

    /// The last function is one of a source outside the project.
    pub(crate) fn outside(mut self, path: &str) -> Self {
        self = self.in_file(path);
        let last = self.profile.functions.last_mut().expect("a function was given before");
        last.external = true;
        self
    }

    /// The last function's calls were all inlined.
    pub(crate) fn inlined(mut self) -> Self {
        let last = self.profile.functions.last_mut().expect("a function was given before");
        last.inlined_calls = last.calls;
        self
    }

    /// At the last call site the callee is inlined.
    pub(crate) fn inlined_site(mut self) -> Self {
        let last = self.profile.sites.last_mut().expect("a call site was given before");
        last.inlined = true;
        self
    }

    /// A line that was executed so often.
    pub(crate) fn line(mut self, line: u32, executions: u64) -> Self {
        self.profile.lines.push(ProfileLine {
            file: ProfileFileId(0),
            line,
            executions,
            self_cost: 0,
            estimated: false,
        });
        self
    }

    /// The same in the file of the last function.
    pub(crate) fn line_beside(mut self, line: u32, executions: u64) -> Self {
        let file = self.profile.functions.last().and_then(|last| last.file);
        self = self.line(line, executions);
        let added = self.profile.lines.last_mut().expect("a line was added");
        added.file = file.expect("the last function has a file");
        self
    }

    /// A call site.
    pub(crate) fn site(mut self, caller: &str, line: u32, callee: &str, (calls, inclusive): (u64, u64)) -> Self {
        let id = |name: &str| {
            let index = self
                .profile
                .functions
                .iter()
                .position(|f| f.name == name)
                .expect("a known function");
            ProfileFunctionId(u32::try_from(index).expect("few functions"))
        };
        let (caller, callee) = (id(caller), id(callee));
        self.profile.sites.push(ProfileCallSite {
            caller,
            callee,
            file: Some(ProfileFileId(0)),
            line,
            calls,
            inclusive,
            inlined: false,
            estimated: false,
        });
        self
    }
}

/// A sample of these benchmarks, taken at `sampled`.
pub(crate) fn sample(sampled: &ScoringTestFiles, recorded: Vec<ScoringTestProfile>) -> Sample {
    let benchmarks = recorded
        .into_iter()
        .map(|one| IndexedProfile::new(one.profile))
        .collect();
    Sample::new("s".to_owned(), benchmarks, Arc::new(sampled.clone()))
}

/// Runs `then` with both versions of a change.
pub(crate) fn with_version<T>(
    (before, after): (&ScoringTestFiles, &ScoringTestFiles),
    then: impl FnOnce(&VersionSources<'_>) -> T,
) -> T {
    let files = differences(before, after);
    then(&VersionSources {
        commit: "v".to_owned(),
        parent: Some("p".to_owned()),
        files: &files,
        before,
        after,
    })
}

/// The shipped assumptions, by a model.
pub(crate) fn options(model: CostModel) -> ScoreOptions {
    ScoreOptions {
        model,
        threshold: 0.05,
        costs: PriceList::shipped(),
        parser: ParseCache::default(),
        words: KnownWords::default(),
        outside: OutsideSources::new(Box::new(|| None)),
    }
}

/// Scores a change of `before` to `after` with a sample taken at `sampled`.
pub(crate) fn scored(
    model: CostModel,
    sampled: &ScoringTestFiles,
    recorded: Vec<ScoringTestProfile>,
    change: (&ScoringTestFiles, &ScoringTestFiles),
) -> VersionScore {
    let sample = sample(sampled, recorded);
    run(
        model,
        Some(NearestSample {
            sample: &sample,
            distance: 1,
            changed_since: &Vec::new,
        }),
        change,
    )
}

/// The same where these are all sources outside the repository.
pub(crate) fn scored_beside(
    outside: &[&str],
    sampled: &ScoringTestFiles,
    recorded: Vec<ScoringTestProfile>,
    change: (&ScoringTestFiles, &ScoringTestFiles),
) -> VersionScore {
    let sample = sample(sampled, recorded);
    let nearest = NearestSample {
        sample: &sample,
        distance: 1,
        changed_since: &Vec::new,
    };
    let texts = outside.iter().map(|text| SourceContent::Bytes(text.as_bytes().into()));
    let texts: Vec<SourceContent> = texts.collect();
    let options = ScoreOptions {
        outside: OutsideSources::new(Box::new(|| Some(texts))),
        ..options(CostModel::Lito)
    };
    with_version(change, |version| score(version, Some(nearest), &options))
}

/// Scores a change with no sample.
pub(crate) fn without_sample(change: (&ScoringTestFiles, &ScoringTestFiles)) -> VersionScore {
    run(CostModel::Lito, None, change)
}

fn run(
    model: CostModel,
    nearest: Option<NearestSample<'_>>,
    change: (&ScoringTestFiles, &ScoringTestFiles),
) -> VersionScore {
    with_version(change, |version| score(version, nearest, &options(model)))
}

/// Effects of a score on a benchmark, by kind, function and callee, with the cost.
pub(crate) fn costs_of(score: &VersionScore, benchmark: &str) -> Vec<(String, f64)> {
    score
        .changes
        .iter()
        .flat_map(|change| {
            let label = format!("{:?} {}", change.kind, change.callee.as_deref().unwrap_or("-"));
            change
                .effects
                .iter()
                .filter(|effect| effect.benchmark == benchmark)
                .map(move |effect| (label.clone(), effect.cost))
        })
        .collect()
}

/// The effect of the first change of a kind on the first benchmark that it reaches.
pub(crate) fn effect(score: &VersionScore, kind: ChangeKind) -> &BenchmarkEffect {
    let change = score.changes.iter().find(|change| change.kind == kind);
    &change.unwrap_or_else(|| panic!("no {kind:?} in {score:?}")).effects[0]
}

/// The inputs of a benchmark of which all is known: it is compiled as one unit, and opens nothing.
pub(crate) fn inputs_of(benchmark: &str, unit: CompilationUnit) -> SampleInputs {
    let record = InputRecord {
        compiled: CompiledInputs {
            is_complete: true,
            units: vec![unit],
            ..CompiledInputs::default()
        },
        opened: OpenedFiles {
            is_complete: true,
            ..OpenedFiles::default()
        },
        asked_names: None,
        macros: None,
    };
    SampleInputs::new([(benchmark.to_owned(), Arc::new(record))].into())
}
