pub fn kind(kind: Kind, text: &str, byte: u8) -> u64 {
    let kind = match kind {
        Kind::Third(Some(4)) => 2,
        Kind::SECOND => many(),
        Kind::First => few(),
        _ => 0,
    };
    let text = match text {
        "c" => many(),
        "a" | "b" => few(),
        _ => 0,
    };
    kind + text + match byte {
        b'b' => many(),
        b'a' => few(),
        _ => 0,
    }
}
