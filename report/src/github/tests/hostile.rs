//! Names, reasons and notes that try to get out of their place, in every field that somebody else can write.

use std::borrow::Cow;
use std::collections::BTreeMap;

use analyzer::change::DegradedFile;
use analyzer::score::{DecisionReason, PredictedMovement, VersionScore};
use proptest::prelude::*;
use verdict::claims::{ClaimOutcome, ClaimSource, ClaimVerdict};
use verdict::{Acknowledgement, VerdictReport};

use super::super::{
    CheckPolicy, CheckReportAnnotation, MARKER, MeasurementOrigin, PostingContent, check, comment, outputs, summary,
    workflow_commands,
};
use super::oracle;
use crate::score::{ScoreDocument, markdown_version};
use crate::verdict::fixture::{report, version_score};

/// Characters with a meaning in GitHub, markdown, HTML, a shell or the runner.
const NASTY: [&str; 68] = [
    "`",
    "``",
    "```",
    "|",
    "\\",
    "\\|",
    "\n",
    "\r\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    "x",
    "ü",
    "😀",
    "<!-- lito: performance -->",
    "-->",
    "</details>",
    "<details>",
    "</summary>",
    "<script>",
    "<img src=x>",
    "<!--",
    "<a href=x>",
    "<?",
    "<![CDATA[",
    "@all",
    "@org/team",
    "#1",
    "GH-1",
    "o/r#1",
    "a@b.example",
    "mailto:a@b.example",
    "xmpp:a@b.example/c",
    "www.a.example",
    "https://a.example",
    "ftp://a.example",
    "[a](b)",
    "![a](b)",
    "[^1]",
    "[^1]: x",
    ":tada:",
    "$x$",
    "$`x`$",
    "$$",
    "&#64;",
    "&lt;",
    "~~x~~",
    "**",
    "__",
    "- [ ] x",
    "1. ",
    "# ",
    "> [!NOTE]",
    "---",
    "===",
    "~~~",
    "\u{202e}",
    "\u{200b}",
    "\u{301}\u{301}\u{301}",
    "0123456789abcdef0123456789abcdef01234567",
    "%0A",
    "::error::",
    "'",
    "$(x)",
    "; x",
    "--bench",
    "GHSA-abcd-efgh-ijkl",
];

fn hostile() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => prop::sample::select(&NASTY[..]).prop_map(str::to_owned),
        1 => "\\PC{0,3}",
        1 => any::<char>().prop_map(String::from),
    ];
    // A page says nothing where there is nothing to say: that is another shape.
    let text = prop::collection::vec(word, 1..7).prop_map(|words| words.concat());
    text.prop_map(|text| {
        if text.trim().is_empty() {
            String::from("x")
        } else {
            text
        }
    })
}

/// Everything that a posting holds.
struct HostilePostingInput {
    report: VerdictReport,
    version: VersionScore,
    score: ScoreDocument,
    acknowledgements: Vec<Acknowledgement>,
    notes: Vec<String>,
}

impl HostilePostingInput {
    /// The sample, with a text before each name and instead of each sentence.
    fn of(text: &str, commits: bool) -> Self {
        let (mut report, mut version) = (report(), version_score());
        let named = |name: &mut String| *name = format!("{text}{name}");
        for entry in &mut report.benchmarks {
            named(&mut entry.name);
            entry.reason = text.to_owned();
            entry.evidence = Some(text.to_owned());
            entry.tool = text.to_owned();
        }
        report.reason = text.to_owned();
        report.claims = vec![ClaimVerdict {
            claim: text.to_owned(),
            source: ClaimSource::PullRequest,
            outcome: ClaimOutcome::Malformed,
            reason: text.to_owned(),
            benchmarks: Vec::new(),
        }];
        if !commits {
            // With a dot it is not a commit.
            report.base = format!("{text}.");
            report.head = format!("{text}.");
        }
        report.environment = BTreeMap::from([(text.to_owned(), text.to_owned())]);
        version.reason = DecisionReason::BelowThreshold {
            benchmark: text.to_owned(),
            movement: PredictedMovement::Sum { predicted: 0.01 },
            threshold: 0.05,
        };
        if let Some(sample) = &mut version.sample {
            sample.commit = text.to_owned();
            sample.profiler = Some(text.to_owned());
        }
        for prediction in &mut version.benchmarks {
            named(&mut prediction.name);
        }
        for change in &mut version.changes {
            named(&mut change.file);
            change.function = Some(text.to_owned());
            change.callee = Some(text.to_owned());
            for effect in &mut change.effects {
                named(&mut effect.benchmark);
            }
        }
        version.degraded = vec![DegradedFile {
            file: text.to_owned(),
            why: text.to_owned(),
        }];
        let mut score = ScoreDocument::of(&version);
        // A stored sentence is anything that a fork's run wrote.
        score.reason = text.to_owned();
        let mut known = Acknowledgement::of(&report, &format!("{text}walk/deep")).expect("it lost");
        known.by = text.to_owned();
        known.reason = text.to_owned();
        Self {
            report,
            version,
            score,
            acknowledgements: vec![known],
            notes: vec![text.to_owned(), format!("{text}.")],
        }
    }

    fn posting(&self) -> PostingContent<'_> {
        PostingContent {
            report: &self.report,
            score: Some(Cow::Borrowed(&self.score)),
            acknowledgements: &self.acknowledgements,
            measured_by: MeasurementOrigin::Fork,
            policy: CheckPolicy::default(),
            threshold: 0.05,
            notes: &self.notes,
            // GitHub's own address of the run
            compared_in: None,
        }
    }
}

/// The runner's reading of a line: the command, its properties, its data. After the documented grammar.
fn decoded(line: &str) -> Option<(&str, BTreeMap<&str, String>, String)> {
    let (info, data) = line.trim_start().strip_prefix("::")?.split_once("::")?;
    let (command, properties) = info.split_once(' ').unwrap_or((info, ""));
    let data_of = |text: &str| (text.replace("%0D", "\r")).replace("%0A", "\n").replace("%25", "%");
    let value_of = |text: &str| {
        let text = text.replace("%0D", "\r").replace("%0A", "\n");
        text.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
    };
    let pairs = properties.split(',').filter_map(|pair| pair.split_once('='));
    let properties = pairs.map(|(name, value)| (name, value_of(value))).collect();
    Some((command, properties, data_of(data)))
}

fn assert_commands_say(annotations: &[CheckReportAnnotation]) {
    let output = workflow_commands(annotations);
    // The runner ends a line at either.
    let lines: Vec<&str> = output.split(['\n', '\r']).filter(|l| !l.is_empty()).collect();
    assert_eq!(lines.len(), annotations.len(), "{output}");
    for (line, meant) in lines.iter().zip(annotations) {
        let (command, properties, data) = decoded(line).expect("a line is a command");
        assert!(["notice", "warning", "error"].contains(&command), "{line}");
        assert_eq!(properties["file"], meant.file);
        assert_eq!(properties["line"], meant.line.to_string());
        assert_eq!(properties["title"], meant.title);
        assert_eq!(data, meant.message);
        assert_eq!(properties.len(), 3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn no_text_changes_the_shape_of_a_page(text in hostile(), commits in any::<bool>()) {
        let (evil, tame) = (HostilePostingInput::of(&text, commits), HostilePostingInput::of("x", commits));
        for write in [comment, summary] {
            let (evil, tame) = (write(&evil.posting()), write(&tame.posting()));
            let shape = oracle::shape(&evil).map_err(|why| TestCaseError::fail(format!("{why}\nin\n{evil}")))?;
            prop_assert_eq!(shape, oracle::shape(&tame).expect("tame"), "{}", evil);
        }
        let sections = [&evil, &tame].map(|input| markdown_version(&input.version));
        let shapes = sections.each_ref().map(|section| oracle::shape(section));
        prop_assert!(shapes[0].is_ok(), "{:?} in\n{}", shapes[0], sections[0]);
        prop_assert_eq!(&shapes[0], &shapes[1], "{}", sections[0]);
        let comment = comment(&evil.posting());
        prop_assert_eq!(comment.lines().next(), Some(MARKER));
        prop_assert_eq!(comment.lines().filter(|line| *line == MARKER).count(), 1);
    }

    #[test]
    fn a_command_is_one_line_and_says_what_was_meant(texts in [hostile(), hostile(), hostile()], line in 1u32..) {
        let [file, title, message] = texts;
        let annotation = CheckReportAnnotation { file, line, level: super::CheckReportLevel::Warning, title, message };
        assert_commands_say(&[annotation.clone(), annotation]);
    }

    #[test]
    fn a_check_is_plain_text_within_its_limits(text in hostile()) {
        let input = HostilePostingInput::of(&text, true);
        let check = check(&input.posting());
        prop_assert!(check.title.chars().count() <= 255);
        assert_commands_say(&check.annotations);
        for line in [&check.title].into_iter().chain(check.annotations.iter().flat_map(|a| [&a.title, &a.message])) {
            let hidden = line.chars().any(|c| c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c));
            prop_assert!(!hidden, "{}", line);
        }
        for (name, value) in outputs(&input.posting()) {
            prop_assert!(!value.chars().any(char::is_control), "{} {}", name, value);
        }
    }
}

#[test]
fn whatever_is_posted_fits() {
    // The most bytes for a column: an escape as prose, marks as code.
    let fillings = ["@", "a\u{301}\u{301}\u{301}\u{301}"];
    for filling in fillings {
        let text: String = filling.chars().cycle().take(10_000).collect();
        let mut input = HostilePostingInput::of(&text, true);
        let benchmarks = input.report.benchmarks.clone();
        for n in 0..500 {
            let mut more = benchmarks[n % benchmarks.len()].clone();
            more.name = format!("{text}{n}");
            input.report.benchmarks.push(more);
        }
        input.score.changes = vec![input.score.changes[0].clone(); 400];
        input.score.benchmarks = vec![input.score.benchmarks[0].clone(); 500];
        input.score.degraded = vec![input.score.degraded[0].clone(); 100];
        input.notes = vec![text.clone(); 200];
        input.report.environment = (0..200).map(|n| (format!("{n}{text}"), text.clone())).collect();
        input.acknowledgements = (input.report.benchmarks.iter().step_by(50))
            .filter_map(|entry| Acknowledgement::of(&input.report, &entry.name))
            .collect();
        let posting = input.posting();
        // Bytes: characters are fewer.
        let (comment, summary, check) = (comment(&posting), summary(&posting), check(&posting));
        assert!(comment.len() < 65_535, "{filling}: {}", comment.len());
        assert!(check.summary.len() < 65_535, "{filling}: {}", check.summary.len());
        assert!(summary.len() < 1 << 20, "{filling}: {}", summary.len());
        assert!(check.title.chars().count() <= 255);
        assert!(check.annotations.len() <= 50);
        for page in [&comment, &summary] {
            oracle::shape(page).unwrap_or_else(|why| panic!("{why} in {filling}"));
        }
    }
}
