fn macros(out: &mut String, name: &str) {
    println!("{name:?} {{name}} {}", render(name));
    write!(out, "{}", name.len())?;
    assert_eq!(compute(1), 2, "message");
    let list = vec![make(1); 10];
    let text = format!("{x}", x = make(2));
    custom! { key => value(1), other.call(2) };
    nested!(inner!(deep(1)));
    let version = concat!("a", env!("B"));
    quote! { fn generated() { never_called() } };
    todo!()
}
