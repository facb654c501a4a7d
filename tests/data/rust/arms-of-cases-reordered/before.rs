pub fn kind(kind: Kind, text: &str, byte: u8) -> u64 {
    let kind = match kind {
        Kind::First => few(),
        Kind::SECOND => many(),
        Kind::Third(Some(4)) => 2,
        _ => 0,
    };
    let text = match text {
        "a" | "b" => few(),
        "c" => many(),
        _ => 0,
    };
    kind + text + match byte {
        b'a' => few(),
        b'b' => many(),
        _ => 0,
    }
}
