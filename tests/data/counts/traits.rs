//= sums
//= calls Dog::name 30
//= calls Cat::name 20
//= calls describe 50
//+ calls Animal::twice 50
//+ calls Dog::legs 30
//+ calls Cat::legs 40
use std::hint::black_box;

pub trait Animal {
    fn name(&self) -> u64;
    fn legs(&self) -> u64;
    fn twice(&self) -> u64 {
        self.name().wrapping_mul(2)
    }
}

pub struct Dog(u64);
pub struct Cat(u64);

impl Animal for Dog {
    #[inline(never)]
    fn name(&self) -> u64 {
        black_box(self.0)
    }
    #[inline]
    fn legs(&self) -> u64 {
        black_box(4)
    }
}

impl Animal for Cat {
    #[inline(never)]
    fn name(&self) -> u64 {
        black_box(self.0 + 1)
    }
    #[inline]
    fn legs(&self) -> u64 {
        black_box(4) ^ self.0
    }
}

#[inline(never)]
fn describe<A: Animal>(animal: &A) -> u64 {
    animal.twice()
}

#[inline(never)]
pub fn subject(n: u64) -> u64 {
    let mut t = 0u64;
    for i in 0..n {
        if i % 5 < 3 {
            let dog = Dog(black_box(i));
            t ^= describe(&dog) ^ dog.legs();
        } else {
            let cat = Cat(black_box(i));
            t ^= describe(&cat) ^ cat.legs();
            t ^= cat.legs();
        }
    }
    t
}

fn main() {
    println!("{}", subject(black_box(50)));
}
