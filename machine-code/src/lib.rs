//! The bytes of two executables → whether the code that a benchmark executes is compiled to the same machine code; if
//! not, which functions differ and whether the benchmark can reach them. Also the sizes of a program and of its functions.
//!
//! Starts no process and decodes no instructions: the relocations that the linker kept say which bytes are addresses
//! ([`read_program`] refuses a program without them). Code that can't be compared is [`CodeEquivalence::Unknown`],
//! never the same. Knows nothing of sources, profiles or measurements.
//!
//! # Why the answer can be relied on
//! Functions are paired along references ([`compare_programs`]): two are alike if their bytes agree outside addresses,
//! and if each address leads to the partner of the base's target: functions to functions at the same offset, constants
//! to equal content, variables one to one with equal first values, shared libraries by name. A run of the head that
//! starts like a run of the base therefore takes the same steps as long as it stays in functions that are alike, and it
//! leaves them only where the base does. From this follows, for each [`CodeScope`]:
//! - [`CodeScope::Program`]: everything reachable from the entry is alike, so on the same input both programs execute
//!   the same instructions. A program with several benchmarks is the same for all of them, or for none.
//! - [`CodeScope::Executed`]: the base executed exactly these functions, so the head does too, by induction over the
//!   run. If the set covers only the subject, the claim covers only the subject, given the state that set-up leaves.
//! - [`CodeScope::From`]: as for the program, for the part of the run below these roots, given the same input there.
//!   Functions called through pointers that the set-up left in memory are not among the references of the roots: for a
//!   benchmark of such a library, use one of the other scopes.
//! - [`CodeScope::Sampled`]: the profile is that of an older version. A profiled function whose source has not changed
//!   since makes the same calls at the base; a changed one may call everything that it refers to, and so on. The scope
//!   consists of the profile's functions, in all their copies, and everything that the changed ones among them can
//!   reach. `changed` must be complete: a changed constant, type or dependency counts as a change of every function
//!   that uses it.
//!
//! # What it does not cover
//! - Input that is read at run time: files of the repository, variables, arguments. If a commit changes a file that
//!   is not compiled, the caller must know whether the benchmark reads it.
//! - Behaviour that depends on addresses: wall time, caches, the fast paths of `memcpy` for aligned memory.
//! - Lines and columns in panic locations, which move with every line added above: only printing reads them, and they
//!   are not compared.
//! - The tables that say where a panic is caught: they change together with the code that they describe.
//! - Functions that a program looks up by name at run time.
//! - Constants without a symbol: they are assumed to end where the next referenced object begins. If a function takes
//!   an address inside such a constant, another function that uses the constant from its start is compared only up to
//!   there. Statics, and constants of 4, 8, 16 and 32 bytes, have symbols.

mod address;
mod comparison;
mod digest;
mod elf_reader;
mod equivalence;
mod pairing;
mod program;
mod reachability;
mod reference_graph;
mod size;
mod x86_64;

pub use comparison::{CodeScope, changed_functions, compare_programs};
pub use digest::{CodeDigest, digest_program, digest_reachable};
pub use elf_reader::read_program;
pub use equivalence::{CodeDifference, CodeDifferenceKind, CodeEquivalence};
pub use program::{MachineCode, MachineCodeError};
pub use reachability::{CodeReachability, ReachabilityQuery, find_reachability};
pub use size::{functions_size, loaded_size};
