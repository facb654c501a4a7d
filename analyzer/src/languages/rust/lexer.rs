//! Rust source → [`Tokens`], a copy of the source with its comments blanked, and a bound on the height of
//! its syntax tree. Never fails: what it does not know is a one-byte token.

use crate::syntax::tokens::{SyntaxToken, TokenKind};

/// A source file, lexed.
#[derive(Debug)]
pub(crate) struct LexedSource {
    pub(crate) tokens: Vec<SyntaxToken>,
    /// The source with comments and the shebang line as spaces: same offsets, same lines, and nearly
    /// always ASCII, so that a column is an offset.
    pub(crate) blanked: String,
    /// No syntax tree of this source is higher.
    pub(crate) depth: u32,
    /// The line of a comment that nothing ends. Whatever follows it is no code, and nothing else shows that.
    pub(crate) unended_comment: Option<u32>,
}

/// Lexes a source.
pub(crate) fn lex(source: &str) -> LexedSource {
    let mut lexer = RustLexer {
        bytes: source.as_bytes(),
        at: 0,
        line: 1,
        tokens: Vec::with_capacity(source.len() / 5),
        comments: Vec::new(),
        groups: vec![OpenBracket::default()],
        depth: 0,
        deepest: 0,
        unended_comment: None,
    };
    lexer.shebang();
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    let blanked = blank(source, &lexer.comments);
    LexedSource {
        tokens: lexer.tokens,
        blanked,
        depth: lexer.deepest,
        unended_comment: lexer.unended_comment,
    }
}

/// An open bracket.
#[derive(Debug, Default)]
struct OpenBracket {
    opener: usize,
    commas: u32,
    /// Tokens since the last separator: an expression that goes on may be a level higher with each.
    chain: u32,
    /// The same before the last `}`, for an `else` that goes on with it.
    chain_before: u32,
    /// After a `where`: the last of its bounds may end in a comma.
    in_bounds: bool,
}

struct RustLexer<'s> {
    bytes: &'s [u8],
    at: usize,
    line: u32,
    tokens: Vec<SyntaxToken>,
    comments: Vec<(usize, usize)>,
    groups: Vec<OpenBracket>,
    depth: u32,
    deepest: u32,
    unended_comment: Option<u32>,
}

/// Operators of more than one byte, longest first. `>>` is not among them: it closes two generics.
const OPERATORS: [&[u8]; 22] = [
    b"<<=", b"..=", b"...", b"::", b"->", b"=>", b"..", b"&&", b"||", b"==", b"!=", b"<=", b">=", b"+=", b"-=", b"*=",
    b"/=", b"%=", b"^=", b"&=", b"|=", b"<<",
];

impl RustLexer<'_> {
    /// `#!/…`, but not the inner attribute `#![…`.
    fn shebang(&mut self) {
        if self.bytes.starts_with(b"#!") {
            let attribute = self.bytes[2..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
            if !attribute {
                self.line_comment();
            }
        }
    }

    fn step(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            b'\n' => {
                self.line += 1;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'"' => self.string(self.at, self.at + 1),
            b'\'' => self.quote(),
            b'0'..=b'9' => self.number(),
            b'(' | b'[' | b'{' => self.open(),
            b')' | b']' | b'}' => self.close(),
            _ if is_word(byte) => self.word(),
            _ => self.punctuation(),
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn line_comment(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..];
        self.at = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(self.bytes.len(), |length| start + length);
        self.comments.push((start, self.at));
    }

    fn block_comment(&mut self) {
        let (start, line) = (self.at, self.line);
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            match (self.bytes[self.at], self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                (b'\n', _) => {
                    self.line += 1;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        if depth > 0 {
            self.unended_comment = Some(line);
        }
        self.comments.push((start, self.at));
    }

    /// A string with escapes, its opening quote just before `from`.
    fn string(&mut self, start: usize, from: usize) {
        let line = self.line;
        self.at = from;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    break;
                }
                b'\\' => {
                    if self.peek(1) == b'\n' {
                        self.line += 1;
                    }
                    self.at = (self.at + 2).min(self.bytes.len());
                }
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        self.add(start, line, TokenKind::Text);
    }

    /// `r"…"`, `br##"…"##`, `c"…"`, `b'x'`, `r#name`, or a plain word.
    fn word(&mut self) {
        let start = self.at;
        let mut end = start;
        while end < self.bytes.len() && is_word(self.bytes[end]) {
            end += 1;
        }
        let prefix = &self.bytes[start..end];
        let raw = matches!(prefix, b"r" | b"br" | b"cr");
        let next = self.bytes.get(end).copied().unwrap_or(0);
        if raw && matches!(next, b'"' | b'#') && self.raw_string(start, end) {
            return;
        }
        if matches!(prefix, b"b" | b"c") && next == b'"' {
            return self.string(start, end + 1);
        }
        if prefix == b"b" && next == b'\'' {
            self.at = end;
            return self.character(start);
        }
        if prefix == b"r" && next == b'#' && self.bytes.get(end + 1).is_some_and(|&byte| is_word(byte)) {
            end += 1;
            while end < self.bytes.len() && is_word(self.bytes[end]) {
                end += 1;
            }
        }
        self.at = end;
        let goes_on = prefix == b"else";
        if goes_on && let Some(group) = self.groups.last_mut() {
            let before = std::mem::take(&mut group.chain_before);
            group.chain += before;
            self.depth += before;
        }
        if prefix == b"where"
            && let Some(group) = self.groups.last_mut()
        {
            group.in_bounds = true;
        }
        self.add(start, self.line, TokenKind::Word);
    }

    /// True if it was one.
    fn raw_string(&mut self, start: usize, prefix_end: usize) -> bool {
        let hashes = self.bytes[prefix_end..]
            .iter()
            .take_while(|&&byte| byte == b'#')
            .count();
        if self.bytes.get(prefix_end + hashes) != Some(&b'"') {
            return false;
        }
        let line = self.line;
        self.at = prefix_end + hashes + 1;
        while self.at < self.bytes.len() {
            let byte = self.bytes[self.at];
            self.at += 1;
            if byte == b'\n' {
                self.line += 1;
            }
            let closing = &self.bytes[self.at..];
            if byte == b'"' && closing.len() >= hashes && closing[..hashes].iter().all(|&byte| byte == b'#') {
                self.at += hashes;
                break;
            }
        }
        self.add(start, line, TokenKind::Text);
        true
    }

    /// A character or a lifetime.
    fn quote(&mut self) {
        let start = self.at;
        let next = self.peek(1);
        if next == b'\\' {
            return self.character(start);
        }
        let mut end = start + 1;
        while end < self.bytes.len() && is_word(self.bytes[end]) {
            end += 1;
        }
        if end > start + 1 && self.bytes.get(end) != Some(&b'\'') {
            self.at = end;
            return self.add(start, self.line, TokenKind::Other);
        }
        self.character(start);
    }

    /// From the quote at `self.at` to the one that closes it; a lone quote is a token of its own.
    fn character(&mut self, start: usize) {
        let open = self.at;
        let mut at = open + 1;
        // The longest character literal is '\u{10ffff}'.
        while at < self.bytes.len() && at < open + 14 && self.bytes[at] != b'\n' {
            match self.bytes[at] {
                b'\\' => at += 2,
                b'\'' if at > open + 1 => {
                    self.at = at + 1;
                    return self.add(start, self.line, TokenKind::Other);
                }
                _ => at += 1,
            }
        }
        self.at = open + 1;
        self.add(start, self.line, TokenKind::Other);
    }

    fn number(&mut self) {
        let start = self.at;
        let mut end = start;
        while end < self.bytes.len() {
            let byte = self.bytes[end];
            let after = self.bytes.get(end + 1).copied().unwrap_or(0);
            let exponent = matches!(byte, b'e' | b'E') && matches!(after, b'+' | b'-') && !self.hexadecimal(start);
            if exponent {
                end += 2;
            } else if is_word(byte)
                || (byte == b'.'
                    && after.is_ascii_digit()
                    && !self.bytes[start..end].contains(&b'.')
                    && !self.follows_dot())
            {
                end += 1;
            } else {
                break;
            }
        }
        self.at = end;
        self.add(start, self.line, TokenKind::Number);
    }

    fn hexadecimal(&self, start: usize) -> bool {
        matches!(self.bytes.get(start + 1), Some(b'x' | b'b' | b'o'))
    }

    /// `tuple.0.1`: two numbers, not one.
    fn follows_dot(&self) -> bool {
        self.tokens
            .last()
            .is_some_and(|token| &self.bytes[token.start as usize..token.end as usize] == b".")
    }

    fn punctuation(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = OPERATORS
            .iter()
            .find(|operator| rest.starts_with(operator))
            .map_or(1, |operator| operator.len());
        let byte = self.bytes[start];
        match byte {
            b'>' => self.drop_comma(),
            b';' => self.end_bounds(),
            b':' if length == 2 => self.read_root(),
            _ => {}
        }
        self.at += length;
        self.add(start, self.line, TokenKind::Punctuation);
        if matches!(byte, b',' | b';')
            && let Some(group) = self.groups.last_mut()
        {
            group.commas += u32::from(byte == b',');
            self.depth -= group.chain;
            group.chain = 0;
            group.chain_before = 0;
        }
    }

    /// `core::`, `alloc::` and `std::` begin the same path, with or without `::` before them.
    fn read_root(&mut self) {
        let text = |token: &SyntaxToken| &self.bytes[token.start as usize..token.end as usize];
        let at = self.tokens.len();
        let Some(root) = self.tokens.last() else {
            return;
        };
        if !matches!(text(root), b"std" | b"core" | b"alloc") {
            return;
        }
        let before = at.checked_sub(2).map(|index| self.tokens[index]);
        if let Some(colons) = before.filter(|token| text(token) == b"::") {
            let goes_on = at.checked_sub(3).is_some_and(|index| {
                let end = self.tokens[index];
                end.end == colons.start && (end.kind == TokenKind::Word || text(&end) == b">")
            });
            if goes_on {
                return;
            }
            self.tokens[at - 2].kind = TokenKind::Silent;
        }
        self.tokens[at - 1].kind = TokenKind::ReadAs("std");
    }

    fn open(&mut self) {
        let start = self.at;
        if self.bytes[start] == b'{' {
            self.end_bounds();
        }
        self.at += 1;
        self.add(start, self.line, TokenKind::Open);
        self.groups.push(OpenBracket {
            opener: self.tokens.len() - 1,
            ..OpenBracket::default()
        });
    }

    fn close(&mut self) {
        let start = self.at;
        self.at += 1;
        if self.groups.len() > 1
            && let Some(group) = self.groups.pop()
        {
            self.depth -= group.chain;
            if self.bytes[start] != b')' || group.commas > 1 || self.is_call(group.opener) {
                self.drop_comma();
            }
        }
        self.add(start, self.line, TokenKind::Close);
        if self.bytes[start] == b'}'
            && let Some(group) = self.groups.last_mut()
        {
            self.depth -= group.chain;
            group.chain_before = std::mem::take(&mut group.chain);
        }
    }

    /// True if the parenthesis follows a name, a macro's `!` or generics: `(x,)` alone is a tuple.
    fn is_call(&self, opener: usize) -> bool {
        let Some(before) = opener.checked_sub(1).map(|index| &self.tokens[index]) else {
            return false;
        };
        let text = &self.bytes[before.start as usize..before.end as usize];
        match before.kind {
            TokenKind::Word => !matches!(
                text,
                b"return" | b"in" | b"match" | b"if" | b"while" | b"else" | b"let" | b"as"
            ),
            TokenKind::Punctuation => matches!(text, b"!" | b">"),
            _ => false,
        }
    }

    /// Marks that the body of an item, or its end, follows.
    fn end_bounds(&mut self) {
        if let Some(group) = self.groups.last_mut()
            && std::mem::take(&mut group.in_bounds)
        {
            self.drop_comma();
        }
    }

    /// The last token is a comma before a closing bracket, or after the last bound.
    fn drop_comma(&mut self) {
        if let Some(last) = self.tokens.last_mut()
            && last.kind == TokenKind::Punctuation
            && self.bytes[last.start as usize] == b','
        {
            last.kind = TokenKind::TrailingComma;
        }
    }

    fn add(&mut self, start: usize, line: u32, kind: TokenKind) {
        // Sources above 4 GiB never get here: limits come first.
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.tokens.push(SyntaxToken {
            start: offset(start),
            end: offset(self.at),
            line,
            kind,
        });
        if let Some(group) = self.groups.last_mut() {
            group.chain += 1;
            self.depth += 1;
            self.deepest = self.deepest.max(self.depth);
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Comments as spaces, line breaks kept.
fn blank(source: &str, comments: &[(usize, usize)]) -> String {
    let mut blanked = String::with_capacity(source.len());
    let mut kept = 0;
    for &(start, end) in comments {
        blanked.push_str(&source[kept..start]);
        blanked.extend(
            source.as_bytes()[start..end]
                .iter()
                .map(|&byte| if byte == b'\n' { '\n' } else { ' ' }),
        );
        kept = end;
    }
    blanked.push_str(&source[kept..]);
    blanked
}
