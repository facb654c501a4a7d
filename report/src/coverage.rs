//! The functions that the benchmarks of a sample execute → a page for people, and JSON for programs: the crates, the hot
//! functions, and the longest ones that no benchmark executes.

use analyzer::coverage::{BenchmarkCoverage, FunctionCoverage, HottestBenchmark, PackageCoverage};
use anstyle::Style;
use schemars::JsonSchema;
use serde::Serialize;

use crate::json_document::json_document;
use crate::number_format;
use crate::score::{PageLayout, listed, unprofiled_note};
use crate::style::{FAINT, STRONG, UNSURE, paint};
use crate::table::{TableColumn, table};
use crate::text;

/// The version of the contract.
pub const SCHEMA: &str = "lito.coverage/1";

/// Functions that a list of the page names.
const FUNCTIONS_SHOWN: usize = 10;

/// The heading of the functions that cost most.
const HOT: &str = "hot";

/// The heading of the functions that no benchmark executes.
const UNREACHED: &str = "executed by no benchmark, longest first";

/// The coverage of a sample.
#[derive(Debug, Clone, Copy)]
pub struct CoverageReport<'a> {
    /// The sampled version.
    pub commit: &'a str,
    /// Number of benchmarks with a profile.
    pub benchmarks: usize,
    /// Benchmarks of the sample that have no profile.
    pub unprofiled: &'a [String],
    /// The functions, with the benchmarks that execute them.
    pub coverage: &'a BenchmarkCoverage,
}

/// The page.
#[must_use]
pub fn human(report: CoverageReport<'_>, page: PageLayout) -> String {
    let mut out = format!("{}\n", paint(STRONG, &summary(report)));
    if let Some(note) = unprofiled_note(report.unprofiled) {
        out.push_str(&format!("{}\n", paint(UNSURE, &text::safe(&note))));
    }
    out.push('\n');
    out.push_str(&packages(&report.coverage.packages(), page));
    let hot = hot(&report.coverage.functions);
    if !hot.is_empty() {
        out.push_str(&format!("\n{}\n", paint(STRONG, HOT)));
        out.push_str(&hot_table(&hot, page));
    }
    let unreached = unreached(&report.coverage.functions);
    if !unreached.is_empty() {
        out.push_str(&format!("\n{}\n", paint(STRONG, UNREACHED)));
        out.push_str(&unreached_table(&unreached, page));
        let rest = unreached.len().saturating_sub(FUNCTIONS_SHOWN);
        if rest > 0 {
            let note = format!("and {rest} more: --format json lists all");
            out.push_str(&format!("{}\n", paint(FAINT, &note)));
        }
    }
    out
}

/// The same as markdown.
#[must_use]
pub fn markdown(report: CoverageReport<'_>) -> String {
    let mut out = format!("{}\n", text::markdown_prose(&summary(report)));
    if let Some(note) = unprofiled_note(report.unprofiled) {
        out.push_str(&format!("\n{}\n", text::markdown_prose(&note)));
    }
    out.push_str("\n| crate | functions | executed | share |\n|---|---:|---:|---:|\n");
    for package in report.coverage.packages() {
        out.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            text::markdown_code(&package.name),
            package.functions,
            package.executed,
            share_of(package.executed, package.functions)
        ));
    }
    out.push_str(&format!(
        "\n{HOT}\n\n| function | own cost | benchmark |\n|---|---:|---|\n"
    ));
    for (function, hottest) in hot(&report.coverage.functions).iter().take(FUNCTIONS_SHOWN) {
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            text::markdown_code(&function.definition.name),
            number_format::share(hottest.share),
            text::markdown_code(&hottest.benchmark)
        ));
    }
    out.push_str(&format!("\n{UNREACHED}\n\n| function | lines |\n|---|---:|\n"));
    for function in unreached(&report.coverage.functions).iter().take(FUNCTIONS_SHOWN) {
        let name = text::markdown_code(&function.definition.name);
        out.push_str(&format!("| {name} | {} |\n", line_count(function)));
    }
    out
}

/// The sampled version, and how much its benchmarks execute.
fn summary(report: CoverageReport<'_>) -> String {
    format!(
        "At {} {}",
        text::short_id(report.commit),
        executed_share(report.coverage, report.benchmarks)
    )
}

/// How much of the code some benchmarks execute, and the crates of which they execute nothing, in a few words.
#[must_use]
pub fn finding(coverage: &BenchmarkCoverage, benchmarks: usize) -> String {
    let packages = coverage.packages();
    let unreached: Vec<String> = (packages.iter())
        .filter(|package| package.executed == 0)
        .map(|package| package.name.clone())
        .collect();
    let nothing = match unreached.as_slice() {
        [] => String::new(),
        some => format!("; nothing of {}", listed(some)),
    };
    executed_share(coverage, benchmarks) + &nothing
}

/// `12 benchmarks execute 210 of 812 functions (26%)`.
fn executed_share(coverage: &BenchmarkCoverage, benchmarks: usize) -> String {
    let functions = &coverage.functions;
    let executed = functions.iter().filter(|function| function.hottest.is_some()).count();
    format!(
        "{} {} {executed} of {} ({})",
        number_format::counted_noun(benchmarks, "benchmark"),
        if benchmarks == 1 { "executes" } else { "execute" },
        number_format::counted_noun(functions.len(), "function"),
        share_of(executed, functions.len()),
    )
}

fn packages(packages: &[PackageCoverage], page: PageLayout) -> String {
    let columns = [
        TableColumn::Words("crate"),
        TableColumn::Figures("functions"),
        TableColumn::Figures("executed"),
        TableColumn::Figures("share"),
    ];
    let rows = packages.iter().map(|package| {
        let style = if package.executed == 0 { UNSURE } else { Style::new() };
        vec![
            (style, text::safe(&package.name).into_owned()),
            (Style::new(), package.functions.to_string()),
            (style, package.executed.to_string()),
            (style, share_of(package.executed, package.functions)),
        ]
    });
    table(&columns, rows.collect(), page.width)
}

fn hot_table(hot: &[(&FunctionCoverage, &HottestBenchmark)], page: PageLayout) -> String {
    let columns = [
        TableColumn::Words("function"),
        TableColumn::Figures("own cost"),
        TableColumn::Words("benchmark"),
        TableColumn::Words("place"),
    ];
    let rows = hot.iter().take(FUNCTIONS_SHOWN).map(|(function, hottest)| {
        vec![
            (Style::new(), text::safe(&function.definition.name).into_owned()),
            (Style::new(), number_format::share(hottest.share)),
            (Style::new(), text::safe(&hottest.benchmark).into_owned()),
            (FAINT, place(function)),
        ]
    });
    table(&columns, rows.collect(), page.width)
}

fn unreached_table(unreached: &[&FunctionCoverage], page: PageLayout) -> String {
    let columns = [
        TableColumn::Words("function"),
        TableColumn::Figures("lines"),
        TableColumn::Words("place"),
    ];
    let rows = unreached.iter().take(FUNCTIONS_SHOWN).map(|function| {
        vec![
            (Style::new(), text::safe(&function.definition.name).into_owned()),
            (Style::new(), line_count(function).to_string()),
            (FAINT, place(function)),
        ]
    });
    table(&columns, rows.collect(), page.width)
}

/// The executed functions, those with the largest share of a benchmark first.
fn hot(functions: &[FunctionCoverage]) -> Vec<(&FunctionCoverage, &HottestBenchmark)> {
    let mut hot: Vec<_> = (functions.iter())
        .filter_map(|function| Some((function, function.hottest.as_ref()?)))
        .collect();
    hot.sort_by(|(_, a), (_, b)| b.share.total_cmp(&a.share));
    hot
}

/// The functions that no benchmark executes, the longest first.
fn unreached(functions: &[FunctionCoverage]) -> Vec<&FunctionCoverage> {
    let mut unreached: Vec<_> = functions.iter().filter(|function| function.hottest.is_none()).collect();
    unreached.sort_by_key(|function| std::cmp::Reverse(line_count(function)));
    unreached
}

fn line_count(function: &FunctionCoverage) -> u32 {
    let lines = function.definition.lines;
    lines.last - lines.first + 1
}

fn place(function: &FunctionCoverage) -> String {
    let definition = &function.definition;
    format!("{}:{}", text::safe(&definition.file), definition.lines.first)
}

fn share_of(part: usize, whole: usize) -> String {
    number_format::share(if whole == 0 { 0.0 } else { part as f64 / whole as f64 })
}

/// The functions of the sources, and which of them benchmarks execute.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CoverageDocument<'a> {
    /// [`SCHEMA`].
    schema: &'static str,
    /// The sampled version.
    commit: &'a str,
    /// Number of benchmarks with a profile.
    benchmarks: usize,
    /// Benchmarks of the sample without a profile.
    unprofiled: &'a [String],
    /// The crates, by name.
    crates: Vec<CrateEntry<'a>>,
    /// The executed ones first, by their largest share of a benchmark; then the others, by their lines.
    functions: Vec<FunctionEntry<'a>>,
}

/// The functions of one crate, in numbers.
#[derive(Serialize, JsonSchema)]
struct CrateEntry<'a> {
    /// The crate.
    name: &'a str,
    /// Number of its functions, those of tests, benchmarks and examples left out.
    functions: usize,
    /// Number of those that a benchmark executes.
    executed: usize,
}

/// One function.
#[derive(Serialize, JsonSchema)]
struct FunctionEntry<'a> {
    /// The function.
    name: &'a str,
    /// The file.
    file: &'a str,
    /// The line, 1-based.
    line: u32,
    /// Number of its lines.
    lines: u32,
    /// The benchmark that spends the largest share of its cost in the function itself; `null` where none executes it.
    benchmark: Option<&'a str>,
    /// The share of that benchmark's cost; `null` where none executes it.
    share: Option<f64>,
}

/// Everything as one JSON document.
#[must_use]
pub fn json(report: CoverageReport<'_>) -> String {
    let packages = report.coverage.packages();
    let functions = &report.coverage.functions;
    let executed = hot(functions)
        .into_iter()
        .map(|(function, hottest)| (function, Some(hottest)));
    let others = unreached(functions).into_iter().map(|function| (function, None));
    let document = CoverageDocument {
        schema: SCHEMA,
        commit: report.commit,
        benchmarks: report.benchmarks,
        unprofiled: report.unprofiled,
        crates: (packages.iter())
            .map(|package| CrateEntry {
                name: &package.name,
                functions: package.functions,
                executed: package.executed,
            })
            .collect(),
        functions: (executed.chain(others))
            .map(|(function, hottest)| FunctionEntry {
                name: &function.definition.name,
                file: &function.definition.file,
                line: function.definition.lines.first,
                lines: line_count(function),
                benchmark: hottest.map(|hottest| hottest.benchmark.as_str()),
                share: hottest.map(|hottest| hottest.share),
            })
            .collect(),
    };
    json_document(&document)
}
