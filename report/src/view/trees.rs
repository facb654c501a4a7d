//! A comparison into the contract's `ComparisonTrees`: the merged tree and the stacks, column by column.

use profile::tree::{Evolution, Flames, Kind};
use serde::Serialize;

use super::functions::Functions;
use super::strings::NONE;
use super::{Comparison, rounded};

/// The contract's `ComparisonTrees`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shown {
    blueprint: Blueprint,
    flames: Stacks,
    changed: Vec<u32>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Blueprint {
    parent: Vec<i64>,
    function: Vec<u32>,
    kind: Vec<u8>,
    changed: Vec<u8>,
    before: Vec<i64>,
    after: Vec<i64>,
    self_before: Vec<i64>,
    self_after: Vec<i64>,
    calls_before: Vec<i64>,
    calls_after: Vec<i64>,
    estimated: Vec<u8>,
    h: [Vec<f64>; 4],
    w: Vec<f64>,
    noise: Vec<u8>,
    hot: usize,
    frame_before: Vec<i64>,
    frame_after: Vec<i64>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stacks {
    parent: Vec<i64>,
    function: Vec<u32>,
    self_before: Vec<u64>,
    self_after: Vec<u64>,
    noise: Vec<u8>,
    node: Vec<i64>,
}
