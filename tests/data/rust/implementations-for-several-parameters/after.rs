pub struct T(u64);
impl From<u16> for T { fn from(x: u16) -> T { T(other(x as u64)) } }
impl From<u8> for T { fn from(x: u8) -> T { T(work(x as u64)) } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
