fn operations(&mut self, a: usize) -> Result<Option<usize>, Error> {
    let b = a;
    let c = a * 2 + self.size;
    self.count += c;
    self.state.next = State::Ready { at: 1_000 };
    array[a] = b;
    read(a)?;
    let d = parse(a)?.value;
    return Err(Error::Late(d));
    Ok(None)
}
fn constant() -> Option<u8> {
    None
}
