fn sum(table: &[u64], from: usize, count: usize) -> u64 {
    let mut sum = table[from & 7];
    for at in from..from + count {
        if at < table.len() {
            sum = mix(sum + table[at], at);
        }
    }
    sum
}
