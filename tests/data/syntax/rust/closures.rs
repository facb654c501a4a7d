fn closures(items: &[u8], map: &Map) {
    items.iter().map(|x| x + 1).filter(|x| keep(*x)).sum();
    map.get(1).map(|found| found.len());
    map.get(1).unwrap_or_else(|| fallback());
    Some(3).map(|x| x * 2);
    (0..3).map(|x| work(x));
    items.sort_by(|a, b| b.cmp(a));
    std::thread::spawn(move || work(1));
    let add = |a: u8, b: u8| a + b;
}
