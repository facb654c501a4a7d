fn all(items: &[u8], limit: usize) {
    for (index, item) in items.iter().enumerate() {
        use_it(index, item);
    }
    while limit > 0 && more() {
        limit -= 1;
    }
    loop {
        break;
    }
    'outer: for i in 0..limit {
        continue 'outer;
    }
}
