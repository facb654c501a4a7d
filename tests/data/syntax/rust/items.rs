use std::{collections::HashMap as Map, io::{self, Read}, fmt::*};
pub use self::a::B;
extern crate alloc as heap;
pub const LIMIT: usize = 10;
static mut TABLE: [u8; 2] = [1, 2];
#[derive(Clone)]
pub struct Pair<'a> { pub left: &'a str, right: Vec<Option<u8>> }
struct Wrapper(pub u64, Box<dyn Draw>);
enum Shape { Circle { radius: f32 }, Unit }
type Short = Vec<u8>;
trait Draw: Clone { fn draw(&self); }
macro_rules! square { ($x:expr) => { $x * $x } }
lazy_static! { static ref X: u8 = compute(); }
impl Pair<'_> { const EMPTY: u8 = 0; type Out = u8; }
