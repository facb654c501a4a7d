//! End to end: the `lito` program on real repositories, and the rules of the architecture.

#![allow(clippy::unwrap_used, missing_docs)]
// The tests start git and cargo as a user would.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

mod bad_input;
mod bad_measurements;
mod bad_runs;
mod bad_sources;
mod bad_store;
mod bisect;
mod blind;
mod book;
mod buckets;
mod choice;
mod claims;
mod command_builds;
mod command_line;
mod compare;
mod evaluate;
mod gate;
mod host_jobs;
mod house;
mod http;
mod init;
mod inputs;
mod interpreted;
mod jobs;
mod killed_writers;
mod last_measured;
mod meaning;
mod moves;
#[path = "../../runner/src/needs.rs"]
mod needs;
mod plan;
mod played_github;
mod probes;
mod python_releases;
mod remote;
mod repository;
mod retention;
mod schemas;
mod scoring;
mod selftest;
mod sizes;
mod slurm;
mod submodules;
mod suites;
mod toolchains;
mod track;
mod unforeseen;
