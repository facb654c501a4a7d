//! Scores of hand-made versions on hand-made profiles: the published model against its own figures, ours
//! against what must hold whatever its parameters are.

mod call_costs;
mod called_since;
mod change_terms;
mod costless_code;
mod counts;
mod declaration_order;
mod deleted_functions;
mod evidence;
mod exposure;
mod inlining;
mod inputs;
mod interpreted_costs;
mod known_macros;
mod lito_model;
mod loaded_code;
mod loaded_modules;
mod moved_functions;
mod name_reach;
mod newer_benchmarks;
mod other_meanings;
mod parse_problems;
mod published_model;
mod rarely_called;
mod reach;
mod resolution;
mod rewritten_code;
mod set_up;
mod shared_sample;
mod source_sizes;
mod support;
mod traced_commands;
mod uncounted_lines;
mod unfollowed;
mod untraced;
mod unwritten_calls;
