//! A buffer filled with messages, split into frames, frozen and shared.

use bytes::{Bytes, BytesMut};
use std::hint::black_box;
use study_bytes::Numbers;

#[inline(never)]
pub fn subject(messages: &[Vec<u8>]) -> usize {
    let mut buffer = BytesMut::with_capacity(4096);
    let mut frames: Vec<Bytes> = Vec::new();
    let mut sum = 0;
    for message in messages {
        buffer.extend_from_slice(message);
        let head = buffer.split_to(message.len() / 3);
        let frame = buffer.split_to(message.len() - message.len() / 3).freeze();
        sum += head.len() + frame.clone().len();
        frames.push(frame);
        if frames.len() == 64 {
            frames.clear();
            buffer.reserve(4096);
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(1);
    let messages: Vec<Vec<u8>> = (0..12_000)
        .map(|_| vec![numbers.below(256) as u8; 20 + numbers.below(120) as usize])
        .collect();
    assert_eq!(
        black_box(subject(black_box(&messages))),
        messages.iter().map(Vec::len).sum::<usize>()
    );
}
