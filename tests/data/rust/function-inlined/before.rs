pub fn f(x: u64) -> u64 { twice(x) + 1 }
fn twice(x: u64) -> u64 { work(x) + other(x) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
