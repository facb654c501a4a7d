fn next(words: &mut Words) -> Option<u8> {
    let byte = words.take()?;
    words.count(byte);
    None
}
