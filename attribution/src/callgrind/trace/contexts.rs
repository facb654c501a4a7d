//! Callgrind's names of calling contexts (`function'caller'caller's caller`, from `--separate-callers`) → numbered
//! contexts with their executed instructions and their calls.
//!
//! A context is identified by its whole name, across the parts of a file. Only the function and the number of callers
//! are kept of the name: calls say which context calls which.

use std::collections::HashMap;

use super::tokens::{NameResolutionError, parse_unsigned, split_number};
use super::{CallgrindError, CallgrindTrace, MOST_RECORDS};

/// Bytes of the hash that identifies a context's name, which may be thousands of bytes long: two of a million contexts
/// collide once in 10²⁶ files.
const KEY_BYTES: usize = 16;

/// A run of a program, context by context and instruction by instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextTrace {
    /// The run without contexts, as [`super::read`] returns it.
    pub trace: CallgrindTrace,
    /// Every context of the file, including callers that executed nothing during collection.
    pub contexts: Vec<TraceContext>,
    /// Executed instructions, sorted by context, object and address; none is repeated.
    pub steps: Vec<ContextStep>,
    /// Calls, sorted by calling context, object, address and called context; none is repeated.
    pub calls: Vec<ContextCall>,
}

/// A machine-level function and the number of its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    /// Index into [`CallgrindTrace::symbols`].
    pub symbol: u32,
    /// Number of callers in its name. If it equals the limit of `--separate-callers`, the name may be cut.
    pub callers: u32,
}

/// One machine instruction in one context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextStep {
    /// Index into [`ContextTrace::contexts`].
    pub context: u32,
    /// Index into [`CallgrindTrace::objects`].
    pub object: u32,
    /// Address in that object.
    pub address: u64,
    /// Number of executions.
    pub executed: u64,
}

/// All calls from one instruction in one context to one other context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextCall {
    /// Index into [`ContextTrace::contexts`] of the caller.
    pub from: u32,
    /// Index into [`CallgrindTrace::objects`] of the object with the call instruction.
    pub from_object: u32,
    /// Address of the call instruction.
    pub at: u64,
    /// Index into [`ContextTrace::contexts`] of the callee; in direct recursion the caller itself.
    pub to: u32,
    /// Index into [`CallgrindTrace::objects`] of the callee's object.
    pub to_object: u32,
    /// Address of the callee.
    pub entry: u64,
    /// Number of calls, as in [`super::TraceCall::calls`].
    pub calls: u64,
    /// Instructions executed in these calls, as in [`super::TraceCall::cost`].
    pub cost: u64,
}

/// Contexts collected while reading a file.
#[derive(Debug)]
pub(super) struct ContextCollector {
    most: usize,
    contexts: Vec<TraceContext>,
    by_name: HashMap<[u8; KEY_BYTES], u32>,
    by_number: HashMap<u64, u32>,
    steps: Vec<ContextStep>,
    calls: Vec<ContextCall>,
    /// The context of the lines that follow.
    current: u32,
    /// The context that the next call goes to.
    callee: u32,
}

impl ContextCollector {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            contexts: Vec::new(),
            by_name: HashMap::new(),
            by_number: HashMap::new(),
            steps: Vec::new(),
            calls: Vec::new(),
            current: 0,
            callee: 0,
        }
    }

    /// Starts the lines of the context with this name.
    pub(super) fn enter(&mut self, name: &[u8], symbol: u32, line: u64) -> Result<(), CallgrindError> {
        self.current = self.context(name, symbol, line)?;
        Ok(())
    }

    /// Sets the callee's context of the next call by its name.
    pub(super) fn call_to(&mut self, name: &[u8], symbol: u32, line: u64) -> Result<(), CallgrindError> {
        self.callee = self.context(name, symbol, line)?;
        Ok(())
    }

    /// Adds a context of an unknown function for lines before the first name.
    fn there_is_one(&mut self) {
        if self.contexts.is_empty() {
            self.contexts.push(TraceContext { symbol: 0, callers: 0 });
        }
    }

    pub(super) fn step(&mut self, object: u32, address: u64, executed: u64) {
        self.there_is_one();
        self.steps.push(ContextStep {
            context: self.current,
            object,
            address,
            executed,
        });
    }

    pub(super) fn call(&mut self, call: &super::TraceCall) {
        self.there_is_one();
        self.calls.push(ContextCall {
            from: self.current,
            from_object: call.from_object,
            at: call.from,
            to: self.callee,
            to_object: call.to_object,
            entry: call.to,
            calls: call.calls,
            cost: call.cost,
        });
    }

    fn context(&mut self, value: &[u8], symbol: u32, line: u64) -> Result<u32, CallgrindError> {
        let (number, name) = split_number(value);
        if let Some(number) = number
            && name.is_empty()
        {
            let known = self.by_number.get(&number).copied();
            return known.ok_or(NameResolutionError::Undefined.into_error(line));
        }
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&blake3::hash(name).as_bytes()[..KEY_BYTES]);
        let context = match self.by_name.get(&key) {
            Some(context) => *context,
            None => {
                if self.contexts.len() >= self.most {
                    return Err(CallgrindError::TooManyContexts { line, limit: self.most });
                }
                let next =
                    u32::try_from(self.contexts.len()).map_err(|_| NameResolutionError::TooMany.into_error(line))?;
                self.contexts.push(TraceContext {
                    symbol,
                    callers: callers(name),
                });
                self.by_name.insert(key, next);
                next
            }
        };
        if let Some(number) = number {
            self.by_number.insert(number, context);
        }
        Ok(context)
    }

    /// Sorts everything and adds up repetitions between parts of a file.
    pub(super) fn into_trace(mut self, trace: CallgrindTrace) -> ContextTrace {
        debug_assert!(self.steps.len() <= MOST_RECORDS && self.calls.len() <= MOST_RECORDS);
        self.steps.sort_unstable_by_key(|s| (s.context, s.object, s.address));
        self.steps.dedup_by(|next, kept| {
            let same = (next.context, next.object, next.address) == (kept.context, kept.object, kept.address);
            if same {
                kept.executed = kept.executed.saturating_add(next.executed);
            }
            same
        });
        let place = |c: &ContextCall| (c.from, c.from_object, c.at, c.to, c.to_object, c.entry);
        self.calls.sort_unstable_by_key(place);
        self.calls.dedup_by(|next, kept| {
            let same = place(next) == place(kept);
            if same {
                kept.calls = kept.calls.saturating_add(next.calls);
                kept.cost = kept.cost.saturating_add(next.cost);
            }
            same
        });
        ContextTrace {
            trace,
            contexts: self.contexts,
            steps: self.steps,
            calls: self.calls,
        }
    }
}

/// Number of callers in a name; a recursion level (`name'2`) does not count.
fn callers(name: &[u8]) -> u32 {
    let callers = name.split(|byte| *byte == b'\'').skip(1);
    let callers = callers.filter(|caller| parse_unsigned(caller).is_none() || caller.starts_with(b"0x"));
    u32::try_from(callers.count()).unwrap_or(u32::MAX)
}
