//! A stream → its beginning and its end, read by its own thread so that the writer never blocks.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes kept from the beginning and, separately, from the end of each stream: enough for the longest list of
/// benchmarks seen (a few hundred kilobytes), and bounded whatever a program prints.
pub const KEPT_OUTPUT: usize = 8 << 20;

/// Time to wait for output after the whole group is dead: a process that left the group may hold the pipe open.
const PIPE_PATIENCE: Duration = Duration::from_millis(500);

/// One captured stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    /// The first and the last bytes, see [`KEPT_OUTPUT`]; everything if `dropped` is 0.
    pub bytes: Vec<u8>,
    /// Number of bytes left out between the first and the last ones.
    pub dropped: u64,
}

impl CapturedOutput {
    /// The text, with replacement characters where it is not UTF-8.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The last lines that are not blank, joined by line breaks: programs report errors there.
    #[must_use]
    pub fn last_lines(&self, count: usize) -> String {
        let text = self.text();
        let mut lines: Vec<&str> = text
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
            .collect();
        lines.split_off(lines.len().saturating_sub(count)).join("\n")
    }
}

/// A stream that is read by its own thread.
pub(super) struct OutputReader {
    kept: Arc<Mutex<OutputBuffer>>,
    end: Receiver<()>,
}

impl OutputReader {
    /// Looks at the beginning of what was read so far.
    pub(super) fn with_first<T>(&self, look: impl FnOnce(&[u8]) -> T) -> T {
        look(&self.kept.lock().unwrap_or_else(PoisonError::into_inner).first)
    }
}

pub(super) fn read_in_background(mut stream: impl Read + Send + 'static) -> OutputReader {
    let (sender, end) = mpsc::sync_channel(1);
    let kept = Arc::new(Mutex::new(OutputBuffer::default()));
    let shared = Arc::clone(&kept);
    thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => shared
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take(&buffer[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // The receiver is gone if the pipe stayed open for too long.
        let _ = sender.send(());
    });
    OutputReader { kept, end }
}

/// Waits for the end of the stream, at most [`PIPE_PATIENCE`], and returns the output.
pub(super) fn wait_for_output(collection: &OutputReader) -> CapturedOutput {
    // After that time, the output so far is used.
    let _ = collection.end.recv_timeout(PIPE_PATIENCE);
    std::mem::take(&mut *collection.kept.lock().unwrap_or_else(PoisonError::into_inner)).into_captured()
}

#[derive(Default)]
struct OutputBuffer {
    first: Vec<u8>,
    last: VecDeque<u8>,
    dropped: u64,
}

impl OutputBuffer {
    fn take(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT_OUTPUT - self.first.len()));
        self.first.extend_from_slice(first);
        self.last.extend(rest);
        let excess = self.last.len().saturating_sub(KEPT_OUTPUT);
        self.last.drain(..excess);
        self.dropped += excess as u64;
    }

    fn into_captured(self) -> CapturedOutput {
        let mut bytes = self.first;
        bytes.extend(self.last);
        CapturedOutput {
            bytes,
            dropped: self.dropped,
        }
    }
}
