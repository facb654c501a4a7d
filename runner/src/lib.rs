//! Everything of lito that touches the world.

pub mod git;
pub mod worktree;
