pub fn f(x: u64, deep: bool) {
    other(x);
    if deep {
        work(x);
    }
}
