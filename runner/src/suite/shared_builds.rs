//! Definitions whose programs one command builds → one build for all of them.

use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::build::{self, BuildContext, BuildError, BuildOutput, BuildPurpose};

/// The builds of a version by commands of the user.
#[derive(Default)]
pub(super) struct SharedBuilds<'d> {
    done: Vec<(&'d BenchmarkDefinition, BuildPurpose, BuildOutput)>,
}

impl<'d> SharedBuilds<'d> {
    /// Builds a definition, unless the same command was run for another one.
    pub(super) fn build(
        &mut self,
        definition: &'d BenchmarkDefinition,
        site: &BuildContext<'_>,
    ) -> Result<BuildOutput, BuildError> {
        let known = self
            .done
            .iter()
            .find(|(other, purpose, _)| *purpose == site.purpose && is_one_command(definition, other));
        if let Some((.., built)) = known {
            return Ok(built.clone());
        }
        let built = build::build(definition, site)?;
        if definition.build.is_some() {
            self.done.push((definition, site.purpose, built.clone()));
        }
        Ok(built)
    }
}

/// True if both are built by one command, in one place, with the same variables, and run one program.
fn is_one_command(one: &BenchmarkDefinition, other: &BenchmarkDefinition) -> bool {
    let program = |definition: &BenchmarkDefinition| definition.run.as_ref()?.first().cloned();
    one.adapter == BenchmarkAdapter::Command
        && other.adapter == BenchmarkAdapter::Command
        && one.build == other.build
        && one.harness == other.harness
        && one.env == other.env
        && program(one) == program(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(run: [&str; 2]) -> BenchmarkDefinition {
        BenchmarkDefinition {
            build: Some(vec!["make".to_owned()]),
            run: Some(run.map(str::to_owned).into()),
            ..BenchmarkDefinition::new(BenchmarkAdapter::Command)
        }
    }

    #[test]
    fn one_command_is_one_build_only_where_everything_it_reads_is_the_same() {
        let parse = command(["target/bench", "parse"]);
        assert!(is_one_command(&parse, &command(["target/bench", "print"])));
        assert!(!is_one_command(&parse, &command(["target/other", "parse"])));
        let other = BenchmarkDefinition {
            build: Some(vec!["ninja".to_owned()]),
            ..parse.clone()
        };
        assert!(!is_one_command(&parse, &other));
        let other = BenchmarkDefinition {
            env: [("CC".to_owned(), "clang".to_owned())].into(),
            ..parse.clone()
        };
        assert!(!is_one_command(&parse, &other));
        let other = BenchmarkDefinition {
            harness: Some("../harness".into()),
            ..parse.clone()
        };
        assert!(!is_one_command(&parse, &other));
    }
}
