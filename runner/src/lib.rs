//! Everything of lito that touches the world.

pub mod git;
pub mod store;
pub mod worktree;
