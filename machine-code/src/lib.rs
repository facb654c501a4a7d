//! The bytes of two executables in, whether what a benchmark executes is compiled to the same machine code out; and,
//! where it is not, which functions differ and whether the benchmark can reach them.
//!
//! Starts nothing and decodes no instructions: the relocations that the linker kept say which bytes are addresses
//! ([`read`] refuses a program without them). What can't be compared is [`CodeEquivalence::Unknown`], never the same.
//!
//! # Why the answer can be relied on
//! Functions are paired along references ([`compare`]): two are alike if their bytes agree outside addresses and if
//! each address leads to the partner of what it leads to in the base: functions to functions at the same offset,
//! constants to equal content, variables one to one with equal first values, shared libraries by name. A run of the
//! head that starts like a run of the base therefore takes the same steps for as long as it stays in functions that
//! are alike, and it leaves them only where the base does. From this follows, for each [`CodeScope`]:
//! - [`CodeScope::Program`]: everything that the entry can reach is alike, so on the same input both programs execute
//!   the same instructions. A program that holds several benchmarks is the same for all of them, or not.
//! - [`CodeScope::Executed`]: the base executed these functions and no others, so the head does too: by induction over
//!   the run. If the set is that of the subject alone, the claim is about the subject, given what set-up hands it.
//! - [`CodeScope::From`]: as for the program, for the part of the run below these roots, given the same input there.
//!   Functions that are called through pointers which the set-up left in memory are not among what the roots refer
//!   to: the strict answer for a benchmark of such a library is one of the other scopes.
//! - [`CodeScope::Sampled`]: the profile is that of an older version. A function that it has, and whose source has not
//!   changed since, calls at the base what it called then; one that has changed may call whatever it now refers to,
//!   and that may call on. The scope is the profile's functions, in all their copies, and everything that the
//!   changed ones among them can reach. `changed` must be complete: a changed constant, type or dependency counts as
//!   a change of every function that uses it.
//!
//! # What it does not cover
//! - Input that is read at run time: files of the repository, variables, arguments. If a commit changes a file that
//!   is not compiled, the caller must know whether the benchmark reads it.
//! - Behaviour that depends on addresses: wall time, caches, the short cuts that `memcpy` takes for aligned memory.
//! - Lines and columns in panics' locations, which move with every line added above: they are read only by those
//!   who print them, and are not compared.
//! - The tables that say where a panic is caught: they change with the code that they belong to.
//! - Functions that a program looks up in itself by name while it runs.
//! - Constants without a symbol: they are taken to end where something else whose address is taken begins. If a
//!   function takes an address inside such a constant, another function that uses the constant from its start is
//!   compared up to there only. Statics, and constants of 4, 8, 16 and 32 bytes, have symbols.

mod address;
mod comparison;
mod elf_reader;
mod equivalence;
mod pairing;
mod program;
mod reachability;
mod reference_graph;
mod x86_64;

pub use comparison::{CodeScope, changed_functions, compare_programs};
pub use elf_reader::read_program;
pub use equivalence::{CodeDifference, CodeDifferenceKind, CodeEquivalence};
pub use program::{MachineCode, MachineCodeError};
pub use reachability::{CodeReachability, ReachabilityQuery, find_reachability};
