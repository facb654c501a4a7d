fn search(values: &[u64], wanted: u64) -> usize {
    let (mut low, mut high) = (0, values.len());
    while low < high {
        let middle = (low + high) / 2;
        if values[middle] < wanted {
            low = middle + 1;
        } else {
            low = middle;
        }
    }
    low
}
