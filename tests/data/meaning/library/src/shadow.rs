use crate::helpers::*;

pub fn run() -> u64 {
    turn(5000)
}
