//! Builds documents.

pub struct Builder {
    text: Vec<u8>,
}

impl Builder {
    pub fn new() -> Self {
        let text = (0..4_000u32).map(|index| if index % 9 == 0 { b'<' } else { b'a' });
        Self {
            text: text.collect(),
        }
    }

    #[inline(never)]
    pub fn build(&self) -> u64 {
        let document = self.build_source();
        document + 1
    }

    #[inline(never)]
    fn build_source(&self) -> u64 {
        let parser = create_parser(&self.text);
        let handler = create_content_handler(&self.text);
        parser ^ handler ^ self.parse_proxy()
    }

    #[inline(never)]
    fn parse_proxy(&self) -> u64 {
        new_method(&self.text) ^ parse(&self.text)
    }
}

#[inline(never)]
fn new_method(text: &[u8]) -> u64 {
    let mut state = 1u64;
    for byte in text {
        for _ in 0..6 {
            state = std::hint::black_box(state.rotate_left(3) ^ u64::from(*byte));
        }
    }
    state
}

#[inline(never)]
fn parse(text: &[u8]) -> u64 {
    let mut depth = 0;
    for byte in text {
        depth += element(*byte);
    }
    depth
}

#[inline(never)]
fn element(byte: u8) -> u64 {
    u64::from(byte == b'<')
}

#[inline(never)]
fn create_parser(text: &[u8]) -> u64 {
    let mut state = 7u64;
    for byte in text {
        state = std::hint::black_box(state.rotate_left(5) ^ u64::from(*byte));
    }
    state
}

#[inline(never)]
fn create_content_handler(text: &[u8]) -> u64 {
    std::hint::black_box(text.len() as u64)
}

#[inline(never)]
pub fn run() -> u64 {
    let builder = Builder::new();
    let mut sum = 0u64;
    for _ in 0..20 {
        sum = sum.wrapping_add(builder.build());
    }
    sum
}
