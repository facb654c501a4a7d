//! What an instrumented program recorded of its calling contexts, and the table of its probes → a [`CallTree`].

use super::text::{CountsError, each_line};
use crate::callgrind::contexts::ROOT;
use profile::call_tree::{CallTree, Calls, Context, Function, TreeBuilder};
use profile::probes::{FunctionIndex, Table};

/// The first line of the text.
const HEADER: &str = "lito-contexts 1";

/// Calling contexts that probes counted: functions of the probed sources only, what they call of others being part of
/// their own cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedTree {
    /// Its root is the benchmark; every count in it is exact.
    pub tree: CallTree,
    /// Operations, of all nodes together.
    pub total: u64,
    /// False if there were more contexts than a tree may have: what did not fit is in its callers' self costs.
    pub complete: bool,
}

/// Turns what the processes of one run recorded into one tree; threads are added up, and functions of one name that are
/// called from one context are one.
///
/// # Errors
/// [`CountsError`] for any text that was not written in full by a probed program.
pub fn call_tree(table: &Table, texts: &[String]) -> Result<ProbedTree, CountsError> {
    let mut growth = Growth {
        table,
        builder: TreeBuilder::new(Function::named(ROOT)),
        thread: Vec::new(),
        total: 0,
        complete: true,
    };
    for text in texts {
        growth.thread.clear();
        each_line(text, HEADER, |kind, numbers| growth.read_line(kind, numbers))?;
    }
    Ok(ProbedTree {
        total: growth.total,
        complete: growth.complete && !growth.builder.is_full(),
        tree: growth.builder.finish(),
    })
}

/// The tree while it is read.
struct Growth<'a> {
    table: &'a Table,
    builder: TreeBuilder,
    /// Contexts of the thread that is read, by their number.
    thread: Vec<Context>,
    total: u64,
    complete: bool,
}

impl Growth<'_> {
    /// `t OPERATIONS FULL` begins a thread, `n PARENT FUNCTION ENTRIES OPERATIONS` is one of its contexts.
    fn read_line(&mut self, kind: &str, numbers: &[u64]) -> Option<()> {
        let (context, operations) = match (kind, numbers) {
            ("t", &[operations, full @ 0..=1]) => {
                self.thread.clear();
                self.complete &= full == 0;
                (self.builder.root(), operations)
            }
            ("n", &[parent, function, entries, operations]) => {
                let parent = *self.thread.get(usize::try_from(parent).ok()?)?;
                let function = self.function(FunctionIndex::try_from(function).ok()?)?;
                let declared = self.builder.declare(function);
                let context = self.builder.enter(parent, declared);
                let calls = Calls {
                    count: entries,
                    estimated: false,
                };
                // Of a full tree it is the parent, which was not called more often for that.
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

    fn function(&self, index: FunctionIndex) -> Option<Function> {
        let function = self.table.functions.get(index as usize)?;
        Some(Function {
            name: function.name.clone(),
            file: Some(function.file.clone()),
            line: function.line,
            external: function.external,
        })
    }
}
