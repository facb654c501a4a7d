struct Span {
    from: usize,
    to: usize,
}

fn grow(span: Span, by: usize) -> Span {
    let mut from = span.from;
    let mut both: (usize, usize) = (by, by);
    let Span { from: from, to: to } = Span { from: from, to: span.to };
    Span {
        from: from,
        to: by + to + both.0,
    }
}
