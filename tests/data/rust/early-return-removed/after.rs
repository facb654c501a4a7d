fn size(of: u64) -> u64 {
    if of > 30 {
        grown(of);
    }
    grown(of + 1)
}
