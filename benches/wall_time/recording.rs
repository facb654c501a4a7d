//! The recorded rounds of a benchmark, and the file that keeps those of a repository.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use verdict::{MeasurementRound, ProcessStart};

/// The rounds of one benchmark, in the order in which they were measured.
#[derive(Deserialize)]
pub(crate) struct Recording {
    pub(crate) benchmark: String,
    pub(crate) rounds: Vec<MeasurementRound>,
}

/// No process starts and ends in less, in nanoseconds; an iteration may.
const SHORTEST_PROCESS: f64 = 1e5;

impl Recording {
    /// The mean time of a round, in seconds, if its times are those of whole processes. A framework's own warm-up is not in
    /// its times.
    pub(crate) fn seconds_of_a_round(&self) -> Option<f64> {
        let times =
            || (self.rounds.iter()).flat_map(|round| [&round.base, &round.control, &round.head].map(|start| &start.0));
        (times().flatten().all(|time| *time > SHORTEST_PROCESS))
            .then(|| times().flatten().sum::<f64>() / 1e9 / self.rounds.len() as f64)
    }

    /// The recordings of a file.
    pub(crate) fn read(file: &Path) -> Vec<Self> {
        let text = std::fs::read_to_string(file).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// As JSON, a round on each line; times with five digits, a tenth of what the quietest starts differ by.
    pub(crate) fn encode(recordings: &[Self]) -> String {
        let benchmarks: Vec<String> = recordings.iter().map(Self::text).collect();
        format!("[{}]\n", benchmarks.join(","))
    }

    fn text(&self) -> String {
        let mut text = format!("{{\"benchmark\":{},\"rounds\":[", serde_json::json!(self.benchmark));
        for (number, round) in self.rounds.iter().enumerate() {
            let [base, control, head] = [&round.base, &round.control, &round.head].map(times);
            let comma = if number == 0 { "" } else { "," };
            write!(
                text,
                "{comma}\n{{\"base\":{base},\"control\":{control},\"head\":{head}}}"
            )
            .unwrap();
        }
        text + "]}"
    }
}

fn times(start: &ProcessStart) -> String {
    let digits = |time: &f64| {
        let scale = 10f64.powf(4.0 - time.log10().floor());
        (time * scale).round() / scale
    };
    serde_json::json!(start.0.iter().map(digits).collect::<Vec<f64>>()).to_string()
}
