fn grade(of: u64) -> u64 {
    let mut points = 0;
    if of > 30 {
        points += large(of);
    }
    if of > 3 {
        points += middle(of);
    }
    points
}
