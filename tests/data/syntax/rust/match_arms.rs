fn kind(token: Token, depth: u32) -> u8 {
    match token.kind() {
        Kind::Open { at, .. } if at > depth => open(at),
        Kind::Close | Kind::End => 0,
        Kind::Word(ref text) => {
            let length = text.len();
            length as u8
        }
        _ => unreachable!(),
    }
}
fn test(token: &Token) -> bool {
    matches!(token, Token::Word(w) if w.len() > 2)
}
