//! Records of time frames from an instrumented program, and the table of its probes → a [`Timeline`].

use std::collections::BTreeMap;

use super::line_format::{ProbeTextError, each_line};
use profile::CostUnit;
use profile::probes::{ProbeFunctionIndex, ProbeTable};
use profile::timeline::{FunctionActivity, MOST_FRAMES, Timeline, frames, percent};

/// The first line of the text.
const HEADER: &str = "lito-timeline 1";

/// For each function of the table, the first one of its name: the row that it belongs to. A timeline joins functions of
/// one name, so the program itself must know when none of them is active.
#[must_use]
pub fn timeline_rows(table: &ProbeTable) -> Vec<ProbeFunctionIndex> {
    let mut first: BTreeMap<&str, ProbeFunctionIndex> = BTreeMap::new();
    let functions = (0u32..).zip(&table.functions);
    functions
        .map(|(index, function)| *first.entry(&function.name).or_insert(index))
        .collect()
}

/// Turns the records of all processes of one run into its timeline: that of the thread which executed most. `None` if
/// none executed anything. Rows that the table lacks are left out.
///
/// # Errors
/// [`ProbeTextError`] for any text that an instrumented program did not write completely.
pub fn timeline(table: &ProbeTable, texts: &[String]) -> Result<Option<Timeline>, ProbeTextError> {
    let mut threads = Vec::new();
    for text in texts {
        each_line(text, HEADER, |kind, numbers| read_line(&mut threads, kind, numbers))?;
    }
    // Among threads that executed equally much, always the same one.
    let longest = threads.into_iter().max();
    Ok(longest.map(|thread| thread.timeline(table)))
}

/// Record of one thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ThreadTimeline {
    total: u64,
    frame: u64,
    /// For each row, the operations in each frame during which it was active.
    rows: BTreeMap<ProbeFunctionIndex, Vec<u64>>,
}

/// Reads a line: `t TOTAL FRAME` begins a thread, `r ROW OPERATIONS …` is one of its rows.
fn read_line(threads: &mut Vec<ThreadTimeline>, kind: &str, numbers: &[u64]) -> Option<()> {
    match (kind, numbers) {
        ("t", &[total, frame]) => {
            let fits = total > 0 && frame.is_power_of_two() && frames(total, frame) <= MOST_FRAMES;
            threads.extend(fits.then(|| ThreadTimeline {
                total,
                frame,
                rows: BTreeMap::new(),
            }));
            fits.then_some(())
        }
        ("r", [row, active @ ..]) => {
            let thread = threads.last_mut()?;
            let row = u32::try_from(*row).ok()?;
            let fits = active.len() == frames(thread.total, thread.frame)
                && active.iter().all(|active| *active <= thread.frame);
            let known = thread.rows.insert(row, active.to_vec());
            (fits && known.is_none()).then_some(())
        }
        _ => None,
    }
}

impl ThreadTimeline {
    fn timeline(self, table: &ProbeTable) -> Timeline {
        let mut timeline = Timeline {
            unit: CostUnit::Operations,
            total: self.total,
            frame: self.frame,
            functions: Vec::new(),
        };
        let mut named: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        for (row, active) in &self.rows {
            let Some(function) = table.functions.get(*row as usize) else {
                continue;
            };
            let shares = named.entry(&function.name).or_insert_with(|| vec![0; active.len()]);
            for ((at, share), active) in shares.iter_mut().enumerate().zip(active) {
                // A program that was given `rows` has one row per name.
                *share = (*share).max(percent(*active, timeline.length_of(at)));
            }
        }
        let activities = named.into_iter().map(|(name, shares)| FunctionActivity {
            name: name.to_owned(),
            shares,
        });
        timeline.functions = activities.filter(FunctionActivity::is_seen).collect();
        timeline
    }
}
