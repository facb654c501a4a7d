//! Executed addresses and the debug information of their program → places in the source; source paths → names that do
//! not depend on the machine. Knows addresses only, not how often they were executed.

mod debug_info;
mod path_remapping;

pub use debug_info::{DebugInfoError, function_symbols};
pub(super) use debug_info::{DebugPosition, SymbolizedProgram, symbolize_addresses};
pub use path_remapping::{PathRemapping, ProfilePath};
