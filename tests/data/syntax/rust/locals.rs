fn locals(count: usize, (left, right): (u8, u8), text: &mut String) {
    let list: Vec<u8> = make();
    let set = HashSet::new();
    let point = Point { x: count, y: 0 };
    let name = String::from("a");
    let letter = 'a';
    let items = vec![1];
    let owned = text.to_string();
    let count = count + list.count;
    { let inner = 1; use_it(inner); }
    use_it(inner);
}
