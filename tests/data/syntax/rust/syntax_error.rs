use std::{fmt, io::{self, Read as R}};
const LIMIT: u8 = 1;
impl Parser {
    pub fn whole(&mut self, n: usize) -> Option<u8> {
        for i in 0..n {
            if i > 2 && self.check(i)? { self.count = i; } else { other(i) }
        }
        self.items.iter().map(|x| x + 1).sum()
    }
    fn broken(&self) { let x = ; still_seen(x) }
}
#[cfg(test)]
mod tests {
    #[test]
    fn works() { assert_eq!(call(1), 2); }
}
