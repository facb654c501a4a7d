fn search(values: &[u64], wanted: u64) -> usize {
    let (mut first, mut end) = (0, values.len());
    while first < end {
        let half = (first + end) / 2;
        if values[half] < wanted {
            first = half + 1;
        } else {
            end = half;
        }
    }
    first
}
