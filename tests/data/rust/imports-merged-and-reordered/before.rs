use std::fmt;
use std::io::Read;
use std::io::Write;
pub fn f(x: &mut dyn Write) -> fmt::Result { x.flush().map_err(|_| fmt::Error) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
