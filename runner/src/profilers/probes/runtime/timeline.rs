//! Entries and ends of functions, each at so many operations → how many operations of each time frame every row of
//! functions was active for.
//!
//! How long a run is shows only at its end, so frames begin with one operation each; when they are full, neighbours
//! are merged and the frames are twice as long. No operation is counted into two frames or lost on the way.

use std::fmt::Write;

/// The reader's limit, too: from 81 operations on a run has 41 to 80 frames.
const MOST_FRAMES: usize = 80;

/// The rows of one thread.
pub(crate) struct TimelineRecorder {
    /// The row of each function; a function that is not in it is a row of its own.
    row_of: &'static [u32],
    /// A frame is `1 << scale` operations long.
    scale: u32,
    rows: Vec<RowRecorder>,
}

#[derive(Clone, Default)]
struct RowRecorder {
    /// Functions of this row on the stack; only the outermost counts.
    depth: u32,
    /// When the outermost was entered.
    start: u64,
    /// Operations in each frame. Empty until the first end.
    active: Vec<u64>,
}

impl TimelineRecorder {
    pub(crate) fn new(row_of: &'static [u32]) -> Self {
        TimelineRecorder {
            row_of,
            scale: 0,
            rows: Vec::new(),
        }
    }

    pub(crate) fn enter(&mut self, function: u32, now: u64) {
        let row = self.row(function);
        if row.depth == 0 {
            row.start = now;
        }
        row.depth += 1;
    }

    pub(crate) fn leave(&mut self, function: u32, now: u64) {
        let row = self.row(function);
        row.depth -= 1;
        if row.depth == 0 {
            self.reach(now);
            let scale = self.scale;
            self.row(function).add(now, scale);
        }
    }

    /// `t TOTAL FRAME`, then `r ROW OPERATIONS …` for each row that was ever active, with a number for each frame.
    pub(crate) fn write(&self, now: u64, text: &mut String) {
        if now == 0 {
            return;
        }
        let mut ended = TimelineRecorder {
            rows: self.rows.clone(),
            ..*self
        };
        ended.reach(now);
        let scale = ended.scale;
        let frames = (((now - 1) >> scale) + 1) as usize;
        let _ = writeln!(text, "t {now} {}", 1u64 << scale);
        for (number, row) in ended.rows.iter_mut().enumerate() {
            // The process ended inside of it.
            if row.depth > 0 {
                row.add(now, scale);
            }
            if row.active.is_empty() {
                continue;
            }
            let _ = write!(text, "r {number}");
            for operations in &row.active[..frames] {
                let _ = write!(text, " {operations}");
            }
            text.push('\n');
        }
    }

    fn row(&mut self, function: u32) -> &mut RowRecorder {
        let row = self.row_of.get(function as usize).map_or(function, |row| *row) as usize;
        if row >= self.rows.len() {
            self.rows.resize(row + 1, RowRecorder::default());
        }
        &mut self.rows[row]
    }

    /// Makes the frames long enough for so many operations.
    fn reach(&mut self, now: u64) {
        while now > 0 && (now - 1) >> self.scale >= MOST_FRAMES as u64 {
            self.scale += 1;
            for row in self.rows.iter_mut().filter(|row| !row.active.is_empty()) {
                for frame in 0..MOST_FRAMES / 2 {
                    row.active[frame] = row.active[2 * frame] + row.active[2 * frame + 1];
                }
                row.active[MOST_FRAMES / 2..].fill(0);
            }
        }
    }
}

impl RowRecorder {
    /// It was active from its start until now, which the frames reach.
    fn add(&mut self, now: u64, scale: u32) {
        self.active.resize(MOST_FRAMES, 0);
        let mut at = self.start;
        while at < now {
            let frame = at >> scale;
            let end = ((frame + 1) << scale).min(now);
            self.active[frame as usize] += end - at;
            at = end;
        }
    }
}
