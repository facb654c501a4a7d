//! The finished report → the time that it took, and what that is held against: the costs that it recorded, or those of the
//! newest kept verdict that built and counted.

use std::str::FromStr as _;

use runner::git::CommitId;
use verdict::{CountingCost, MinutePrice, SpentTime};

use super::{GateContext, GateJudgement};
use crate::error::EngineError;

/// The time that a judgement took. Programs of an earlier run cost nothing, so that a judgement on these says nothing
/// about the cost of building.
pub(super) fn spent_time(judgement: &GateJudgement, place: &GateContext<'_>) -> Result<SpentTime, EngineError> {
    let report = &judgement.report;
    let own = CountingCost::of(report).filter(|_| !judgement.reused_programs);
    let counting = match own {
        Some(own) => Some(own),
        None => newest_costs(place)?,
    };
    let stated = &place.settings.cost;
    Ok(SpentTime {
        stated_full_run_seconds: stated.full_run.map(|time| time.0.as_secs_f64()),
        price: stated.price_per_minute.map(|per_minute| MinutePrice {
            per_minute,
            currency: stated.currency.clone(),
        }),
        ..SpentTime::of(report, counting)
    })
}

/// The costs that the kept verdict tells whose head was committed last. Heads that this repository lacks are passed over.
fn newest_costs(place: &GateContext<'_>) -> Result<Option<CountingCost>, EngineError> {
    let kept = place.store.verdicts()?.verdicts;
    let dated = kept.iter().filter_map(|report| {
        let cost = match &report.spent {
            Some(spent) => spent.counting.clone(),
            None => CountingCost::of(report),
        }?;
        let head = CommitId::from_str(&report.head).ok()?;
        let committed_at = place.repository.committed_at(head).ok()?;
        Some(((committed_at, report.head.clone(), report.base.clone()), cost))
    });
    Ok(dated.max_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, cost)| cost))
}
