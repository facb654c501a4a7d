//! A profile → the binary format in which it is stored ([`binary`]), and back; a profile → its JSON view ([`json`]).
//!
//! Works on bytes only; knows no files. Call trees and timelines have their codecs beside them.

pub mod binary;
pub mod json;
mod plain_frame;
