#[cfg(unix)]
fn size(x: u64) -> u64 { work(x) }
#[cfg(windows)]
fn size(x: u64) -> u64 { other(x) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
