pub fn walk(nodes: &[Node], kind: Kind) -> u32 {
    let mut total = 0;
    for node in nodes.iter() {
        total += node.cost;
    }
    while total > limit(kind) {
        total -= 1;
    }
    match kind {
        Kind::Small => shrink(&mut total),
        Kind::Large => grow(&mut total, 2),
    }
    total
}
