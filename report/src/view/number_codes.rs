//! Values of few kinds that a payload writes as small numbers: flags, and the kinds of points and nodes. Columns hold
//! hundreds of thousands of them, so that a name each would double the page.

use serde::{Serialize, Serializer};

/// 1 for yes, 0 for no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "0 | 1"))]
pub(super) struct Flag(pub(super) bool);

/// Origin of a point of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS), ts(repr(enum)))]
pub(super) enum PointState {
    /// Measured at this version.
    Measured = 0,
    /// Carried over from an earlier version.
    Carried = 1,
    /// Without a cost.
    Gap = 2,
}

/// The sides that have a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS), ts(repr(enum)))]
pub(super) enum NodeKind {
    /// Both sides.
    Both = 0,
    /// Only the side after.
    New = 1,
    /// Only the side before.
    Removed = 2,
}

/// The texts that contain a run of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS), ts(repr(enum)))]
pub(super) enum LineKind {
    /// Both texts.
    Both = 0,
    /// Only the text before.
    OnlyBefore = 1,
    /// Only the text after.
    OnlyAfter = 2,
}

impl Serialize for Flag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(u8::from(self.0))
    }
}

impl Serialize for PointState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

impl Serialize for NodeKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}
