//! Kept verdicts → what skipping misses: of the skipped versions that were measured all the same, how many had a
//! regression.

use verdict::{SkipAudit, Verdict, VerdictReport};

/// The account; `None` where no skipped version was measured.
pub fn audit_of_verdicts(verdicts: &[VerdictReport]) -> Option<SkipAudit> {
    let decided = verdicts
        .iter()
        .filter(|report| report.audited && !matches!(report.verdict, Verdict::Inconclusive | Verdict::Skipped));
    let (mut measured, mut missed) = (0, 0);
    for report in decided {
        measured += 1;
        missed += u32::from(matches!(report.verdict, Verdict::Regression | Verdict::Mixed));
    }
    (measured > 0).then(|| SkipAudit::of(measured, missed))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn verdict(verdict: Verdict, audited: bool) -> VerdictReport {
        VerdictReport {
            schema: String::new(),
            base: String::new(),
            head: String::new(),
            verdict,
            reason: String::new(),
            benchmarks: Vec::new(),
            stages: Vec::new(),
            audited,
            audit: None,
            environment: BTreeMap::new(),
            cost_seconds: 0.0,
        }
    }

    #[test]
    fn only_audits_with_a_verdict_count() {
        assert_eq!(audit_of_verdicts(&[verdict(Verdict::Regression, false)]), None);
        assert_eq!(audit_of_verdicts(&[verdict(Verdict::Inconclusive, true)]), None);
        let kept = [
            verdict(Verdict::Pass, true),
            verdict(Verdict::Improvement, true),
            verdict(Verdict::Mixed, true),
            verdict(Verdict::Regression, false),
            verdict(Verdict::Inconclusive, true),
        ];
        let account = audit_of_verdicts(&kept).expect("three were measured");
        assert_eq!((account.measured, account.missed), (3, 1));
        assert!(account.low < 1.0 / 3.0 && account.high > 1.0 / 3.0);
    }
}
