//! Scores of hand-made versions on hand-made profiles: the published model against its own figures, ours
//! against what must hold whatever its parameters are.

mod counts;
mod evidence;
mod exposure;
mod free;
mod inlining;
mod lito;
mod moved;
mod paper;
mod price;
mod replaced;
mod resolution;
mod rewrites;
mod sizes;
mod support;
mod terms;
