//! Types parsed, as derive macros do.

use std::hint::black_box;
use study_syn::Numbers;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    let mut fields = 0;
    for text in texts {
        let input: syn::DeriveInput = syn::parse_str(text).expect("a type");
        fields += input.attrs.len() + input.generics.params.len();
    }
    fields
}

fn main() {
    let mut numbers = Numbers::new(2);
    let texts: Vec<String> = (0..45)
        .map(|place| {
            let fields: String = (0..4 + numbers.below(6))
                .map(|field| format!("#[name = \"f{field}\"] pub field{field}: Option<Vec<crate::inner::Type{field}<'a, T>>>, "))
                .collect();
            format!("#[derive(Debug)] pub struct Type{place}<'a, T: Clone + 'a> {{ {fields} }}")
        })
        .collect();
    assert_eq!(black_box(subject(black_box(&texts))), 135);
}
