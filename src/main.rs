//! The `lito` command.
fn main() {}
