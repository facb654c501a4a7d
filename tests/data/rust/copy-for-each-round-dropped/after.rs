pub fn search(nodes: &[Node], mut budget: u64) -> u64 {
    let mut found = 0;
    for node in nodes {
        while budget > 0 && node.goes_on() {
            budget -= 1;
            found += node.visit();
        }
    }
    found
}
