//= sums
//= calls on_add 40
//= calls on_mul 20
//= calls on_text 20
//= absent on_stop
//= executions add 40
//= executions mul 20
//+ executions none 20
//+ executions guard 45
//= calls rare 5
//= calls parse 100
//= calls bad 25
use std::hint::black_box;

enum Token {
    Add(u64),
    Mul(u64, u64),
    Text(&'static str),
    Nothing,
    Stop,
}

#[inline(never)]
fn on_add(x: u64) -> u64 {
    black_box(x)
}
#[inline(never)]
fn on_mul(x: u64, y: u64) -> u64 {
    black_box(x * y)
}
#[inline(never)]
fn on_text(s: &str) -> u64 {
    black_box(s).len() as u64
}
#[inline(never)]
fn on_stop() -> u64 {
    black_box(0)
}
#[inline(never)]
fn rare(x: u64) -> u64 {
    black_box(x + 1)
}

#[inline(never)]
fn parse(i: u64) -> Result<u64, u64> {
    let x = black_box(i);
    if x % 4 == 3 {
        return Err(bad(x));
    }
    Ok(x)
}

#[inline(never)]
fn bad(x: u64) -> u64 {
    black_box(x)
}

#[inline(never)]
fn all(n: u64) -> Result<u64, u64> {
    let x = parse(n)?;
    Ok(x ^ 1)
}

#[inline(never)]
pub fn subject(tokens: &[Token]) -> u64 {
    let mut t = 0u64;
    for (i, token) in tokens.iter().enumerate() {
        t ^= match token {
            Token::Add(x) if *x == 77 => rare(*x), // @guard
            Token::Add(x) => on_add(*x), // @add
            Token::Mul(x, y) => on_mul(*x, *y), // @mul
            Token::Text(s) => on_text(s),
            Token::Nothing => i as u64, // @none
            Token::Stop => on_stop(),
        };
    }
    for i in 0..100 {
        if let Ok(x) = all(i) {
            t ^= x;
        }
    }
    t
}

fn main() {
    let tokens: Vec<Token> = (0..105u64)
        .map(|i| match i % 5 {
            _ if i >= 100 => Token::Add(77),
            0 | 1 => Token::Add(i),
            2 => Token::Mul(i, 3),
            3 => Token::Text("abc"),
            _ if i == 1000 => Token::Stop,
            _ => Token::Nothing,
        })
        .collect();
    println!("{}", subject(black_box(&tokens)));
}
