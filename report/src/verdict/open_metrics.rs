//! A verdict into OpenMetrics text, which CI servers compare from one run to the next: the head's value of each benchmark
//! and metric that was measured. Predicts nothing for what was not run.

use std::collections::BTreeMap;

use verdict::VerdictReport;

use crate::text;

/// The name of every value; its benchmark and metric are labels, and the metric says the unit.
const NAME: &str = "lito_benchmark";

/// The text, ordered by benchmark and metric.
#[must_use]
pub fn open_metrics(report: &VerdictReport) -> String {
    let mut values = BTreeMap::new();
    for entry in &report.benchmarks {
        if let Some(head) = entry.head.filter(|value| value.is_finite()) {
            values.entry((label(&entry.name), entry.metric.name())).or_insert(head);
        }
    }
    let mut text =
        format!("# TYPE {NAME} gauge\n# HELP {NAME} Value at the version that was judged; less is better.\n");
    for ((benchmark, metric), value) in values {
        text.push_str(&format!(
            "{NAME}{{benchmark=\"{benchmark}\",metric=\"{metric}\"}} {value}\n"
        ));
    }
    text.push_str("# EOF\n");
    text
}

/// The value of a label. GitLab takes everything from `#` on for a comment, in quotes too, so it is written out.
fn label(name: &str) -> String {
    let shown = text::safe(name).replace('#', "\\u{23}");
    shown.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{hostile, report};
    use super::*;

    #[test]
    fn values_of_the_head_are_listed_by_benchmark_and_metric() {
        insta::assert_snapshot!(open_metrics(&report()));
    }

    #[test]
    fn the_lines_do_not_depend_on_the_order_of_the_entries() {
        let mut report = report();
        let text = open_metrics(&report);
        report.benchmarks.reverse();
        assert_eq!(open_metrics(&report), text);
    }

    #[test]
    fn a_name_stays_in_its_quotes_and_begins_no_comment() {
        let (mut report, _) = hostile();
        for entry in &mut report.benchmarks {
            entry.name.push_str("\"} 7 # \\\n'");
        }
        let text = open_metrics(&report);
        let values: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            values.len(),
            open_metrics(&super::super::fixture::report()).lines().count() - 3
        );
        for line in values {
            // As GitLab reads it: comments are cut off, then it is split like a command of a shell.
            let line = line.split('#').next().unwrap_or_default();
            let words = shlex::split(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(words.len(), 2, "{line}");
            assert!(
                words[0].starts_with("lito_benchmark{benchmark=") && words[0].contains("\"} 7 \\u{23} \\"),
                "{line}"
            );
            assert!(words[1].parse::<f64>().is_ok(), "{line}");
        }
    }

    #[test]
    fn what_was_not_measured_has_no_value() {
        let mut report = report();
        for entry in &mut report.benchmarks {
            entry.head = None;
        }
        report.benchmarks[0].head = Some(f64::NAN);
        assert_eq!(open_metrics(&report).lines().count(), 3);
    }
}
