//! Records of calling contexts from an instrumented program, and the table of its probes → a [`CallTree`].

use super::line_format::{ProbeTextError, each_line};
use crate::callgrind::contexts::ROOT;
use profile::call_tree::{BuilderContextId, CallCount, CallTree, CallTreeBuilder, CallTreeFunction};
use profile::probes::{ProbeFunctionIndex, ProbeTable};

/// The first line of the text.
const HEADER: &str = "lito-contexts 1";

/// Calling contexts counted by probes: only functions of the probed sources; costs of other callees are part of the
/// caller's self cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedCallTree {
    /// Its root is the benchmark; every count in it is exact.
    pub tree: CallTree,
    /// Operations of all nodes together.
    pub total: u64,
    /// False if there were more contexts than a tree may have: the rest is in the self costs of its callers.
    pub complete: bool,
}

/// Turns the records of all processes of one run into one tree. Threads are added up; functions of one name that are
/// called from one context are joined.
///
/// # Errors
/// [`ProbeTextError`] for any text that an instrumented program did not write completely.
pub fn call_tree(table: &ProbeTable, texts: &[String]) -> Result<ProbedCallTree, ProbeTextError> {
    let mut growth = ProbedTreeReader {
        table,
        builder: CallTreeBuilder::new(CallTreeFunction::named(ROOT)),
        thread: Vec::new(),
        total: 0,
        complete: true,
    };
    for text in texts {
        growth.thread.clear();
        each_line(text, HEADER, |kind, numbers| growth.read_line(kind, numbers))?;
    }
    Ok(ProbedCallTree {
        total: growth.total,
        complete: growth.complete && !growth.builder.is_full(),
        tree: growth.builder.finish(),
    })
}

/// The tree under construction.
struct ProbedTreeReader<'a> {
    table: &'a ProbeTable,
    builder: CallTreeBuilder,
    /// Contexts of the current thread, by their number.
    thread: Vec<BuilderContextId>,
    total: u64,
    complete: bool,
}

impl ProbedTreeReader<'_> {
    /// Reads a line: `t OPERATIONS FULL` begins a thread, `n PARENT FUNCTION ENTRIES OPERATIONS` is one of its
    /// contexts.
    fn read_line(&mut self, kind: &str, numbers: &[u64]) -> Option<()> {
        let (context, operations) = match (kind, numbers) {
            ("t", &[operations, full @ 0..=1]) => {
                self.thread.clear();
                self.complete &= full == 0;
                (self.builder.root(), operations)
            }
            ("n", &[parent, function, entries, operations]) => {
                let parent = *self.thread.get(usize::try_from(parent).ok()?)?;
                let function = self.function(ProbeFunctionIndex::try_from(function).ok()?)?;
                let declared = self.builder.declare(function);
                let context = self.builder.enter(parent, declared);
                let calls = CallCount {
                    count: entries,
                    estimated: false,
                };
                // In a full tree this is the parent, which was not called more often because of that.
                if context != parent {
                    self.builder.add_calls(context, calls);
                }
                (context, operations)
            }
            _ => return None,
        };
        self.builder.add_self(context, operations);
        self.total = self.total.saturating_add(operations);
        self.thread.push(context);
        Some(())
    }

    fn function(&self, index: ProbeFunctionIndex) -> Option<CallTreeFunction> {
        let function = self.table.functions.get(index as usize)?;
        Some(CallTreeFunction {
            name: function.name.clone(),
            file: Some(function.file.clone()),
            line: function.line,
            external: function.external,
        })
    }
}
