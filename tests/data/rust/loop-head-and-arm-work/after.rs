pub fn walk(nodes: &[Node], kind: Kind) -> u32 {
    let mut total = 0;
    for node in nodes.iter().skip(1) {
        total += node.cost * node.weight;
    }
    while total > limit(kind) + floor(kind) {
        total -= 1;
    }
    match kind {
        Kind::Small => shrink(&mut total),
        Kind::Large if total > 10 => grow(&mut total, 3),
        Kind::Large => {}
    }
    total
}
