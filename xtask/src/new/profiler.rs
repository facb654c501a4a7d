//! Placeholder until the seam is settled.

/// Fails.
pub(super) fn create(name: &str) -> Result<(), String> {
    Err(format!("new: {name}: not available"))
}
