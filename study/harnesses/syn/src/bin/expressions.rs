//! Expressions with operators, calls and closures parsed.

use std::hint::black_box;
use study_syn::Numbers;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    texts
        .iter()
        .filter(|text| matches!(syn::parse_str::<syn::Expr>(text), Ok(syn::Expr::Binary(_))))
        .count()
}

fn main() {
    let mut numbers = Numbers::new(3);
    let texts: Vec<String> = (0..100)
        .map(|_| {
            let number = numbers.below(1_000);
            format!("a.b({number}, |x| x * 2 + y[{number}]) + c::<u8>::d(&mut e, -f) * {number}.5 - (g as u32 & 0xff).pow(2)")
        })
        .collect();
    assert_eq!(black_box(subject(black_box(&texts))), 100);
}
