//! A judgement's request → the command that repeats it, one line for a POSIX shell.

use verdict::claims::{ClaimOutcome, ClaimVerdict};

use crate::text::{quoted_word, safe};

/// The parts of a request that its command names.
#[derive(Debug, Clone, Copy)]
pub struct RepeatedRequest<'a> {
    /// The version compared with, in full.
    pub base: &'a str,
    /// The version that is judged, in full.
    pub head: &'a str,
    /// True if the score chose among the benchmarks.
    pub by_score: bool,
    /// The names of the benchmarks, as `--bench` takes them; all if there is none.
    pub names: &'a [String],
    /// The packages of the benchmarks; all if there is none.
    pub packages: &'a [String],
    /// The metrics, as `--metric` takes them.
    pub metrics: &'a [&'a str],
    /// The claims with their answers.
    pub claims: &'a [ClaimVerdict],
}

/// The command. A claim that is malformed, or that has characters which can't be shown, is left out.
#[must_use]
pub fn repeat_command(request: &RepeatedRequest<'_>) -> String {
    let mut command = match request.by_score {
        true => format!("lito gate --base {} --head {}", request.base, request.head),
        false => format!("lito measure {} {}", request.base, request.head),
    };
    let names = request.names.iter().map(|name| ("--bench", name.as_str()));
    let packages = request.packages.iter().map(|name| ("--package", name.as_str()));
    let metrics = request.metrics.iter().map(|metric| ("--metric", *metric));
    let claims = (request.claims.iter())
        .filter(|claim| claim.outcome != ClaimOutcome::Malformed && safe(&claim.claim) == claim.claim)
        .map(|claim| ("--claim", claim.claim.as_str()));
    for (option, value) in names.chain(packages).chain(metrics).chain(claims) {
        // Joined, so that a value that begins with a dash is not taken for an option.
        let joint = if value.starts_with('-') { '=' } else { ' ' };
        command.push_str(&format!(" {option}{joint}{}", quoted_word(value)));
    }
    command
}

#[cfg(test)]
mod tests {
    use verdict::claims::ClaimSource;

    use super::*;

    fn claim(text: &str, outcome: ClaimOutcome) -> ClaimVerdict {
        ClaimVerdict {
            claim: text.to_owned(),
            source: ClaimSource::CommandLine,
            outcome,
            reason: String::new(),
            benchmarks: Vec::new(),
        }
    }

    #[test]
    fn the_command_names_versions_metrics_and_claims() {
        let claims = [
            claim("it's/* faster at least 10%", ClaimOutcome::Refuted),
            claim("-x unchanged", ClaimOutcome::Confirmed),
            claim("x \u{202e} unchanged", ClaimOutcome::Confirmed),
            claim("; rm", ClaimOutcome::Malformed),
        ];
        let mut request = RepeatedRequest {
            base: "b",
            head: "h",
            by_score: true,
            names: &[],
            packages: &[String::from("core")],
            metrics: &["instructions", "wall-time"],
            claims: &claims,
        };
        assert_eq!(
            repeat_command(&request),
            "lito gate --base b --head h --package core --metric instructions --metric wall-time \
             --claim 'it'\\''s/* faster at least 10%' --claim='-x unchanged'"
        );
        let names = [String::from("parse/*")];
        request.by_score = false;
        request.names = &names;
        request.packages = &[];
        request.claims = &[];
        assert_eq!(
            repeat_command(&request),
            "lito measure b h --bench 'parse/*' --metric instructions --metric wall-time"
        );
    }
}
