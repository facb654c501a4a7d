fn sum(table: &[u64], from: usize, count: u32) -> u64 {
    let from = from as usize;
    let mut sum = table[(from & 7) as usize] as u64;
    for at in from as usize..from + count as usize {
        if (at as usize) < table.len() {
            sum = mix((sum + table[at as usize]) as u64, (at));
        }
    }
    sum
}
