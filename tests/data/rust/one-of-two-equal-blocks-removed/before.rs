pub fn f(x: u64, deep: bool) {
    if deep {
        work(x);
    }
    other(x);
    if deep {
        work(x);
    }
}
