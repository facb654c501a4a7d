//! The finished report → the time that it took, and what that is held against: the costs that it recorded, or those of the
//! newest kept verdict that built and counted. And before anything is built: kept verdicts → the time that is likely.

use std::str::FromStr as _;

use runner::build::RepositoryCache;
use runner::git::CommitId;
use verdict::{CountingCost, GateForecast, MinutePrice, SpentTime, VerdictReport};

use super::verdict_draft::StageCounts;
use super::{GateContext, GateJudgement};
use crate::error::EngineError;

/// Versions that a full run of the framework is made of.
const SIDES: f64 = 2.0;

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

/// The likely time of a judgement that runs so many of the known benchmarks; none where the store knows no time.
pub(super) fn forecast(selected: &StageCounts, place: &GateContext<'_>) -> Result<Option<GateForecast>, EngineError> {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let repository = place.repository;
    let root = repository.workdir().unwrap_or(repository.common_dir());
    let are_built = RepositoryCache::of_repository(root).is_ok_and(|cache| cache.target().is_dir());
    let kept = newest_first(place)?;
    let forecast = GateForecast::of(&kept, count(selected.on), count(selected.of), are_built);
    let stated = place.settings.cost.full_run;
    Ok(forecast.map(|forecast| GateForecast {
        full_run_seconds: stated.map(|time| SIDES * time.0.as_secs_f64()),
        ..forecast
    }))
}

/// The costs that the newest kept verdict tells.
fn newest_costs(place: &GateContext<'_>) -> Result<Option<CountingCost>, EngineError> {
    let costs = newest_first(place)?.into_iter().find_map(|report| match report.spent {
        Some(spent) => spent.counting,
        None => CountingCost::of(&report),
    });
    Ok(costs)
}

/// The kept verdicts, that of the head that was committed last first. Heads that this repository lacks are passed over.
fn newest_first(place: &GateContext<'_>) -> Result<Vec<VerdictReport>, EngineError> {
    let kept = place.store.verdicts()?.verdicts;
    let dated = kept.into_iter().filter_map(|report| {
        let head = CommitId::from_str(&report.head).ok()?;
        let committed_at = place.repository.committed_at(head).ok()?;
        Some(((committed_at, report.head.clone(), report.base.clone()), report))
    });
    let mut dated: Vec<_> = dated.collect();
    dated.sort_by(|(a, _), (b, _)| b.cmp(a));
    Ok(dated.into_iter().map(|(_, report)| report).collect())
}
