//! Callgrind output at instruction level → a [`CallgrindTrace`]: executions of each machine instruction, followed
//! jumps, and the callees and costs of each call instruction.
//!
//! Skips costs other than executed instructions (`Ir`) and callgrind's own source lines: the debug information of the
//! binary is more precise. Threads, parts and recursion levels are added up. Knows nothing of debug information. The
//! format is described in Valgrind's manual, "Callgrind Format Specification".

mod contexts;
mod error;
mod tokens;

use std::io::BufRead;

use contexts::ContextCollector;
pub use contexts::{ContextCall, ContextStep, ContextTrace, TraceContext};
pub use error::CallgrindError;
use tokens::{BlankSeparatedWords, CompressedNames, parse_unsigned};

/// Longest line accepted: mangled names reach some kilobytes.
const LONGEST_LINE: usize = 1 << 20;

/// Most instructions, calls and jumps accepted in one file, each: about a gigabyte of memory in all, twenty times the
/// size of a large program's run.
const MOST_RECORDS: usize = 1 << 24;

/// A run of a program, instruction by instruction.
///
/// Instructions are sorted by object and address, calls by origin and destination, jumps by origin and
/// destination; none is repeated. Addresses are those of the object's file, not of the process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallgrindTrace {
    /// Total of executed instructions in the file.
    pub total: u64,
    /// Paths of the executable and the shared libraries.
    pub objects: Vec<String>,
    /// Names of machine-level functions, as in the symbol table unless callgrind demangled them.
    pub symbols: Vec<String>,
    /// Executed instructions.
    pub instructions: Vec<TraceInstruction>,
    /// Calls.
    pub calls: Vec<TraceCall>,
    /// Jumps; empty unless jumps were collected.
    pub jumps: Vec<TraceJump>,
}

/// One machine instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceInstruction {
    /// Index into [`CallgrindTrace::objects`].
    pub object: u32,
    /// Address in that object.
    pub address: u64,
    /// Index into [`CallgrindTrace::symbols`] of the function that contains it.
    pub symbol: u32,
    /// Number of executions.
    pub executed: u64,
}

/// All calls from one instruction to one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceCall {
    /// Index into [`CallgrindTrace::objects`] of the object with the call instruction.
    pub from_object: u32,
    /// Address of the call instruction.
    pub from: u64,
    /// Index into [`CallgrindTrace::objects`] of the callee's object.
    pub to_object: u32,
    /// Address of the callee.
    pub to: u64,
    /// Index into [`CallgrindTrace::symbols`] of the caller.
    pub from_symbol: u32,
    /// Index into [`CallgrindTrace::symbols`] of the callee.
    pub to_symbol: u32,
    /// Number of calls, including those before and after collection: callgrind never stops counting them.
    pub calls: u64,
    /// Instructions executed in these calls, callees included; recursion counts an instruction once for each level.
    pub cost: u64,
}

/// A jump within an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceJump {
    /// Index into [`CallgrindTrace::objects`].
    pub object: u32,
    /// Address of the jump.
    pub from: u64,
    /// Address of its target.
    pub to: u64,
    /// Number of times it was followed, including before and after collection: callgrind never stops counting it.
    pub followed: u64,
    /// True if it can also fall through.
    pub conditional: bool,
}

/// Reads a callgrind file to its end.
///
/// # Errors
/// [`CallgrindError`], with the number of the malformed line.
pub fn read(input: impl BufRead) -> Result<CallgrindTrace, CallgrindError> {
    let mut reader = CallgrindReader::default();
    reader.read(input)?;
    reader.finish()
}

/// Reads a callgrind file with calling contexts (`--separate-callers`) to its end; without them, each function is one
/// context.
///
/// # Errors
/// [`CallgrindError`], as [`read`]; also if there are more than `most` contexts.
pub fn read_contexts(input: impl BufRead, most: usize) -> Result<ContextTrace, CallgrindError> {
    let mut reader = CallgrindReader {
        contexts: Some(ContextCollector::new(most)),
        ..CallgrindReader::default()
    };
    reader.read(input)?;
    let contexts = reader.contexts.take();
    let trace = reader.finish()?;
    Ok(contexts.map(|contexts| contexts.into_trace(trace)).unwrap_or_default())
}

/// Meaning of the next line with a position.
#[derive(Debug, Default, Clone, Copy)]
enum PendingLine {
    #[default]
    Cost,
    Call {
        calls: u64,
        to: u64,
    },
    Jump,
}

/// State of the reader between two lines.
#[derive(Debug, Default)]
struct CallgrindReader {
    line: u64,
    trace: CallgrindTrace,
    objects: CompressedNames,
    files: CompressedNames,
    symbols: CompressedNames,
    /// Number of positions per line: the address, then perhaps a source line.
    positions: usize,
    /// Index of `Ir` among the costs of a line, once the events are known.
    instructions_at: Option<usize>,
    address: u64,
    object: u32,
    symbol: u32,
    to_object: Option<u32>,
    to_symbol: u32,
    pending: PendingLine,
    jump: Option<TraceJump>,
    part_open: bool,
    /// Calling contexts, if requested.
    contexts: Option<ContextCollector>,
}

impl CallgrindReader {
    fn read(&mut self, mut input: impl BufRead) -> Result<(), CallgrindError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            self.line += 1;
            let mut limited = std::io::Read::take(&mut input, LONGEST_LINE as u64 + 1);
            if limited.read_until(b'\n', &mut line)? == 0 {
                self.line -= 1;
                break;
            }
            if line.last() == Some(&b'\n') {
                line.pop();
            } else if line.len() > LONGEST_LINE {
                return Err(self.too_large("bytes in a line", LONGEST_LINE));
            }
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            self.accept(&line)?;
        }
        Ok(())
    }

    fn accept(&mut self, line: &[u8]) -> Result<(), CallgrindError> {
        match line.first() {
            None | Some(b'#') => Ok(()),
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => self.position(line),
            Some(_) => self.keyword(line),
        }
    }

    fn keyword(&mut self, line: &[u8]) -> Result<(), CallgrindError> {
        let Some(split) = line.iter().position(|b| matches!(b, b'=' | b':')) else {
            return Err(self.malformed("neither a cost line nor a keyword"));
        };
        let (key, value) = (&line[..split], &line[split + 1..]);
        if line[split] == b':' {
            return self.header(key, value);
        }
        match key {
            b"fn" => {
                self.symbol = self.symbol_name(value)?;
                if let Some(contexts) = &mut self.contexts {
                    contexts.enter(value, self.symbol, self.line)?;
                }
                self.part_open = true;
            }
            b"cfn" => {
                self.to_symbol = self.symbol_name(value)?;
                if let Some(contexts) = &mut self.contexts {
                    contexts.call_to(value, self.to_symbol, self.line)?;
                }
            }
            b"ob" => self.object = self.object_name(value)?,
            b"cob" => self.to_object = Some(self.object_name(value)?),
            b"fl" | b"fi" | b"fe" | b"cfi" | b"cfl" | b"jfi" => {
                self.skip_name(value)?;
            }
            b"jfn" => {
                self.symbol_name(value)?;
            }
            b"calls" => {
                let mut words = BlankSeparatedWords(value);
                let calls = self.number(words.next())?;
                let to = self.address(words.next())?;
                self.pending = PendingLine::Call { calls, to };
            }
            b"jump" | b"jcnd" => self.begin_jump(key == b"jcnd", value)?,
            b"rcalls" => return Err(self.malformed("rcalls= is not supported")),
            _ => return Err(self.malformed("unknown keyword")),
        }
        Ok(())
    }

    fn header(&mut self, key: &[u8], value: &[u8]) -> Result<(), CallgrindError> {
        match key {
            b"positions" => {
                let words: Vec<_> = BlankSeparatedWords(value).collect();
                if words.first() != Some(&&b"instr"[..]) {
                    return Err(self.unsuitable("instruction addresses", "--dump-instr=yes"));
                }
                self.positions = words.len();
            }
            b"events" => {
                self.instructions_at = BlankSeparatedWords(value).position(|w| w == b"Ir");
                if self.instructions_at.is_none() {
                    return Err(self.unsuitable("event Ir", "--dump-instr=yes"));
                }
                self.address = 0;
            }
            b"totals" => {
                let Some(at) = self.instructions_at else {
                    return Err(self.malformed("totals before events"));
                };
                let total = self.number(BlankSeparatedWords(value).nth(at).or(Some(b"0")))?;
                self.trace.total = self.add(self.trace.total, total)?;
                self.part_open = false;
            }
            // version, creator, pid, cmd, part, desc, summary and whatever later versions add
            _ if key.iter().all(u8::is_ascii_alphabetic) => {}
            _ => return Err(self.malformed("unknown header")),
        }
        Ok(())
    }

    fn begin_jump(&mut self, conditional: bool, value: &[u8]) -> Result<(), CallgrindError> {
        let mut words = BlankSeparatedWords(value);
        let Some(counts) = words.next() else {
            return Err(self.malformed("a jump without a count"));
        };
        let followed = counts.split(|b| *b == b'/').next();
        self.jump = Some(TraceJump {
            object: self.object,
            from: 0,
            to: self.address(words.next())?,
            followed: self.number(followed)?,
            conditional,
        });
        self.pending = PendingLine::Jump;
        Ok(())
    }

    /// Reads a line that starts with a position: a cost of this function, or of the preceding call or jump.
    fn position(&mut self, line: &[u8]) -> Result<(), CallgrindError> {
        let Some(instructions_at) = self.instructions_at else {
            return Err(self.malformed("costs before the events are named"));
        };
        if self.positions == 0 {
            return Err(self.unsuitable("instruction addresses", "--dump-instr=yes"));
        }
        let mut words = BlankSeparatedWords(line);
        self.address = self.address(words.next())?;
        for _ in 1..self.positions {
            // callgrind's own source line
            if words.next().is_none() && !matches!(self.pending, PendingLine::Jump) {
                return Err(self.malformed("a position is missing"));
            }
        }
        // trailing zeros may be left out
        let cost = words.nth(instructions_at);
        match std::mem::take(&mut self.pending) {
            PendingLine::Cost => {
                let executed = cost.map_or(Ok(0), |w| self.number(Some(w)))?;
                self.room(self.trace.instructions.len(), "instructions")?;
                self.part_open = true;
                if let Some(contexts) = &mut self.contexts {
                    contexts.step(self.object, self.address, executed);
                }
                self.trace.instructions.push(TraceInstruction {
                    object: self.object,
                    address: self.address,
                    symbol: self.symbol,
                    executed,
                });
            }
            PendingLine::Call { calls, to } => {
                let cost = cost.map_or(Ok(0), |w| self.number(Some(w)))?;
                self.room(self.trace.calls.len(), "calls")?;
                let call = TraceCall {
                    from_object: self.object,
                    from: self.address,
                    from_symbol: self.symbol,
                    to_object: self.to_object.take().unwrap_or(self.object),
                    to,
                    to_symbol: self.to_symbol,
                    calls,
                    cost,
                };
                if let Some(contexts) = &mut self.contexts {
                    contexts.call(&call);
                }
                self.trace.calls.push(call);
            }
            PendingLine::Jump => {
                self.room(self.trace.jumps.len(), "jumps")?;
                if let Some(jump) = self.jump.take() {
                    self.trace.jumps.push(TraceJump {
                        from: self.address,
                        ..jump
                    });
                }
            }
        }
        Ok(())
    }

    fn symbol_name(&mut self, value: &[u8]) -> Result<u32, CallgrindError> {
        let line = self.line;
        self.symbols
            .resolve(value, |name| {
                // a recursion level (`name'2`) or a calling context (`name'caller`)
                let end = name.iter().position(|b| *b == b'\'').unwrap_or(name.len());
                if end == 0 { name } else { &name[..end] }
            })
            .map_err(|why| why.into_error(line))
    }

    fn object_name(&mut self, value: &[u8]) -> Result<u32, CallgrindError> {
        let line = self.line;
        self.objects
            .resolve(value, |name| name)
            .map_err(|why| why.into_error(line))
    }

    /// Checks that a file name is well-formed, and drops it.
    fn skip_name(&mut self, value: &[u8]) -> Result<u32, CallgrindError> {
        let line = self.line;
        self.files
            .resolve(value, |name| name)
            .map_err(|why| why.into_error(line))
    }

    /// An absolute address (`0x1f`, `31`) or one relative to the last (`+4`, `-4`, `*`).
    fn address(&self, word: Option<&[u8]>) -> Result<u64, CallgrindError> {
        let word = word.unwrap_or_default();
        let moved = match word {
            b"*" => Some(self.address),
            [b'+', rest @ ..] => parse_unsigned(rest).and_then(|n| self.address.checked_add(n)),
            [b'-', rest @ ..] => parse_unsigned(rest).and_then(|n| self.address.checked_sub(n)),
            _ => parse_unsigned(word),
        };
        moved.ok_or_else(|| self.malformed("not an address"))
    }

    fn number(&self, word: Option<&[u8]>) -> Result<u64, CallgrindError> {
        parse_unsigned(word.unwrap_or_default()).ok_or_else(|| self.malformed("not a count"))
    }

    fn add(&self, a: u64, b: u64) -> Result<u64, CallgrindError> {
        a.checked_add(b).ok_or_else(|| self.malformed("counts beyond 64 bits"))
    }

    fn room(&self, used: usize, what: &'static str) -> Result<(), CallgrindError> {
        if used < MOST_RECORDS {
            Ok(())
        } else {
            Err(self.too_large(what, MOST_RECORDS))
        }
    }

    fn malformed(&self, why: &'static str) -> CallgrindError {
        CallgrindError::Malformed { line: self.line, why }
    }

    fn too_large(&self, what: &'static str, limit: usize) -> CallgrindError {
        CallgrindError::TooLarge {
            line: self.line,
            what,
            limit,
        }
    }

    fn unsuitable(&self, what: &'static str, option: &'static str) -> CallgrindError {
        CallgrindError::Unsuitable {
            line: self.line,
            what,
            option,
        }
    }

    fn finish(mut self) -> Result<CallgrindTrace, CallgrindError> {
        if self.instructions_at.is_none() || self.part_open {
            return Err(CallgrindError::Truncated { line: self.line });
        }
        let trace = &mut self.trace;
        trace.instructions.sort_unstable_by_key(|i| (i.object, i.address));
        trace.instructions.dedup_by(|next, kept| {
            let same = (next.object, next.address) == (kept.object, kept.address);
            if same {
                kept.executed = kept.executed.saturating_add(next.executed);
            }
            same
        });
        trace
            .calls
            .sort_unstable_by_key(|c| (c.from_object, c.from, c.to_object, c.to, c.to_symbol));
        trace.calls.dedup_by(|next, kept| {
            let same = (next.from_object, next.from, next.to_object, next.to)
                == (kept.from_object, kept.from, kept.to_object, kept.to);
            if same {
                kept.calls = kept.calls.saturating_add(next.calls);
                kept.cost = kept.cost.saturating_add(next.cost);
            }
            same
        });
        trace.jumps.sort_unstable_by_key(|j| (j.object, j.from, j.to));
        trace.jumps.dedup_by(|next, kept| {
            let same = (next.object, next.from, next.to) == (kept.object, kept.from, kept.to);
            if same {
                kept.followed = kept.followed.saturating_add(next.followed);
                kept.conditional |= next.conditional;
            }
            same
        });
        self.trace.objects = std::mem::take(&mut self.objects.names);
        self.trace.symbols = std::mem::take(&mut self.symbols.names);
        let executed = (self.trace.instructions.iter()).fold(0u64, |sum, i| sum.saturating_add(i.executed));
        if executed != self.trace.total {
            return Err(self.malformed("the costs do not add up to the totals"));
        }
        Ok(self.trace)
    }
}

#[cfg(test)]
mod tests;
