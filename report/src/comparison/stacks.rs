//! Comparisons → the lines that flame graph tools read as a difference: stack, value before, value after.

use profile::call_tree::folded_stacks;

use super::ExecutionComparison;
use crate::text;

/// The stacks of all comparisons; of several, below the names of their benchmarks.
#[must_use]
pub fn stacks(comparisons: &[ExecutionComparison]) -> String {
    let mut out = String::new();
    for comparison in comparisons {
        let mut lines = Vec::new();
        let table = &comparison.evolution.functions;
        folded_stacks::write_difference(&comparison.flames, table, &mut lines).expect("memory can be written to");
        let lines = String::from_utf8_lossy(&lines);
        for line in lines.lines() {
            if comparisons.len() > 1 {
                out.push_str(&text::safe(&comparison.after.benchmark).replace(';', ":"));
                out.push(';');
            }
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
