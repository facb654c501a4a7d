fn choose(a: i32, b: i32) -> i32 {
    if a > b {
        one()
    } else if b == 0 {
        two()
    } else {
        3
    }
}
fn let_else(map: &Map) -> u8 {
    let Some(found) = map.get(1) else { return 0 };
    found
}
fn chain(list: &[u8]) {
    if let Some(first) = list.first() && ready(first) && *first > 2 {
        go();
    }
}
fn lazy(a: bool, b: bool) -> bool {
    let plain = a && b || !a;
    let costly = a || check(b);
    plain && costly
}
