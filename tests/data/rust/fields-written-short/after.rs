struct Span {
    from: usize,
    to: usize,
}

fn grow(span: Span, by: usize) -> Span {
    let from = span.from;
    let both: (usize, usize) = (by, by);
    let Span { from, to } = Span { from, to: span.to };
    Span { from, to: by + to + both.0 }
}
