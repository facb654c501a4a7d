//! Splits text into names.

pub struct Stream {
    text: Vec<u8>,
    at: usize,
}

impl Stream {
    #[inline(never)]
    fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    #[inline(never)]
    fn next(&mut self) -> u8 {
        let byte = self.text[self.at];
        self.at += 1;
        byte
    }

    #[inline(never)]
    fn peek(&self) -> u8 {
        self.text[self.at]
    }
}

pub struct Tokenizer {
    stream: Stream,
}

impl Tokenizer {
    pub fn new(size: usize) -> Self {
        let text = (0..size).map(|index| if index % 8 == 7 { b' ' } else { b'a' });
        Self {
            stream: Stream {
                text: text.collect(),
                at: 0,
            },
        }
    }

    #[inline(never)]
    pub fn tokens(&mut self) -> u64 {
        let mut sum = 0;
        while !self.stream.at_end() {
            sum += self.next_name();
        }
        sum
    }

    #[inline(never)]
    fn next_name(&mut self) -> u64 {
        let start = self.stream.at;
        while self.basic_next() != b' ' {
            if self.stream.at_end() {
                break;
            }
        }
        (self.stream.at - start) as u64
    }

    #[inline(never)]
    fn basic_next(&mut self) -> u8 {
        self.stream.next()
    }
}

#[inline(never)]
pub fn run() -> u64 {
    let mut sum = 0;
    for _ in 0..20 {
        sum += Tokenizer::new(2_000).tokens();
    }
    sum
}
