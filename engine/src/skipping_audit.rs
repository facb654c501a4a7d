//! Which skipped versions are measured all the same; and kept verdicts → what skipping misses: how many of those had a
//! regression.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use verdict::{SkipAudit, Verdict, VerdictReport};

/// What the number of a run is hashed with, so that nothing else that is drawn by it is drawn together with this.
const RUN_DOMAIN: &str = "lito: audit of a skipped version";

/// Bits of a draw: as many as a fraction of this type has.
const DRAWN_BITS: u32 = f64::MANTISSA_DIGITS;

/// A draw: whether a version is audited if the score skips it.
///
/// Nothing that an author writes enters it. Drawn by the commit's id, or by its content, a version could be amended until
/// it is not drawn; drawn by its base, everybody could see beforehand which base is not audited, and wait for it; and a
/// secret is neither at a desk nor where the code of a pull request runs. So a workflow draws by the number that GitHub
/// gives its run once the version is pushed, which the stage that measures and the one that posts both know; a desk draws
/// a random number of the operating system, and a change that was drawn stays drawn (`stays_drawn`). Each push is
/// another draw for a pull request, but the run on what was merged draws for the last time: nobody can repeat that
/// without merging again. So the expected share of the versions on the default branch is the share that was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AuditDraw {
    /// Share of the skipped versions that is audited.
    share: f64,
    /// The number that was drawn, at least 0 and below 1.
    number: f64,
    /// Whether earlier draws for the same change count as well.
    remembers: bool,
}

impl AuditDraw {
    /// No version is audited.
    pub const NONE: Self = Self {
        share: 0.0,
        number: 0.0,
        remembers: false,
    };

    /// Draws for a judgement at a desk: a random number of the operating system, from which the standard library seeds
    /// its hashers.
    #[must_use]
    pub fn at_desk(share: f64) -> Self {
        Self::of_number(share, RandomState::new().build_hasher().finish(), true)
    }

    /// Draws for a run of a workflow, by its number on GitHub. Running it again draws the same.
    #[must_use]
    pub fn of_run(share: f64, run: u64) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(RUN_DOMAIN);
        hasher.update(&run.to_le_bytes());
        let mut first = [0; 8];
        hasher.finalize_xof().fill(&mut first);
        Self::of_number(share, u64::from_le_bytes(first), false)
    }

    fn of_number(share: f64, number: u64, remembers: bool) -> Self {
        let bits = number >> (u64::BITS - DRAWN_BITS);
        Self {
            share,
            number: bits as f64 / (1u64 << DRAWN_BITS) as f64,
            remembers,
        }
    }

    /// Whether a skipped version is audited by this draw.
    pub(crate) fn is_drawn(self) -> bool {
        self.number < self.share
    }

    /// Whether earlier draws for the same change count as well.
    pub(crate) fn remembers(self) -> bool {
        self.remembers && self.share > 0.0
    }
}

/// Whether a change was drawn before: there is an audit of another version of it, on the same base, that was amended or
/// replaced since. A version on the default branch is another change. So amending a version only makes it more probable
/// that it is audited.
pub(crate) fn stays_drawn(
    verdicts: &[VerdictReport],
    (base, head): (&str, &str),
    mut is_on_default_branch: impl FnMut(&str) -> bool,
) -> bool {
    (verdicts.iter())
        .filter(|report| report.audited && report.base == base)
        .any(|report| report.head == head || !is_on_default_branch(&report.head))
}

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
            claims: Vec::new(),
            repeat: None,
            environment: BTreeMap::new(),
            programs: BTreeMap::new(),
            cost_seconds: 0.0,
            spent: None,
        }
    }

    #[test]
    fn the_share_of_runs_that_is_drawn_is_the_share_that_was_asked_for() {
        let drawn = |share: f64| {
            (0..20_000)
                .filter(|&run| AuditDraw::of_run(share, 9_000_000_000 + run).is_drawn())
                .count()
        };
        // Five standard deviations of a binomial distribution.
        for share in [0.05_f64, 0.5] {
            let expected = 20_000.0 * share;
            let bound = 5.0 * (expected * (1.0 - share)).sqrt();
            assert!(
                (drawn(share) as f64 - expected).abs() < bound,
                "{share}: {}",
                drawn(share)
            );
        }
        assert_eq!((drawn(0.0), drawn(1.0)), (0, 20_000));
    }

    #[test]
    fn both_stages_and_a_repeated_run_draw_the_same() {
        for run in 0..100 {
            assert_eq!(AuditDraw::of_run(0.3, run), AuditDraw::of_run(0.3, run));
        }
    }

    #[test]
    fn each_judgement_at_a_desk_is_another_draw() {
        let draws: Vec<AuditDraw> = (0..64).map(|_| AuditDraw::at_desk(0.5)).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(&draw.number)));
        let drawn = draws.iter().filter(|draw| draw.is_drawn()).count();
        assert!(drawn > 0 && drawn < draws.len(), "{drawn} of 64");
        assert!(AuditDraw::at_desk(1.0).is_drawn() && !AuditDraw::at_desk(0.0).is_drawn());
    }

    #[test]
    fn the_number_decides_by_the_share_alone() {
        let quarter = |number: u64| AuditDraw::of_number(0.25, number, false).is_drawn();
        assert!(quarter(0) && quarter(u64::MAX / 4));
        assert!(!quarter(u64::MAX / 4 + 1) && !quarter(u64::MAX));
    }

    #[test]
    fn a_change_that_was_drawn_stays_drawn_however_it_is_amended() {
        let on = |base: &str, head: &str, audited: bool| VerdictReport {
            base: base.to_owned(),
            head: head.to_owned(),
            ..verdict(Verdict::Pass, audited)
        };
        let drawn = |kept: &[VerdictReport], versions| stays_drawn(kept, versions, |head| head == "merged");
        let before = [on("base", "before", true)];
        assert!(drawn(&before, ("base", "amended")));
        assert!(drawn(&before, ("base", "before")), "judged again");
        assert!(!drawn(&before, ("later", "amended")), "another base");
        assert!(!drawn(&[on("base", "before", false)], ("base", "amended")), "not drawn");
        assert!(
            !drawn(&[on("base", "merged", true)], ("base", "amended")),
            "another change"
        );
        assert!(drawn(&[on("base", "merged", true)], ("base", "merged")), "judged again");
    }

    #[test]
    fn who_audits_nothing_remembers_nothing() {
        assert!(!AuditDraw::at_desk(0.0).remembers() && !AuditDraw::NONE.remembers());
        assert!(AuditDraw::at_desk(0.01).remembers());
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
