//! A perf map → the machine code that a program generated while it ran: the place, the length and the name of each piece.
//!
//! The format is that of Linux's `perf`: a line for each piece with its first address and its length, both hexadecimal, and
//! its name up to the end of the line. The names are the program's own. Another process writes the file, so anything may
//! be in it: a line that is no piece is left out and counted.

/// Most pieces that are read: large programs have some ten thousand functions.
const MOST_PIECES: usize = 1 << 20;

/// Longest line that is read, in bytes: a name is a path and a function.
const LONGEST_LINE: usize = 16 << 10;

/// The pieces of code of one process, by their first address. Each address is the first of one piece at most.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PerfMap {
    /// The pieces, sorted by their first address.
    pub pieces: Vec<PerfMapPiece>,
    /// Lines that were left out: they are no pieces, are too long, or come after too many others.
    pub left_out: usize,
}

/// One piece of generated code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerfMapPiece {
    /// Its first address in the process.
    pub start: u64,
    /// Its length in bytes.
    pub size: u64,
    /// The name that the program gave it.
    pub name: String,
}

/// Reads a map. The last line counts only with its end: the writer may have been stopped in the middle of it. Of two pieces
/// with one first address the later one counts.
#[must_use]
pub fn read(bytes: &[u8]) -> PerfMap {
    let mut map = PerfMap::default();
    let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
        map.left_out = usize::from(!bytes.is_empty());
        return map;
    };
    map.left_out = usize::from(end + 1 < bytes.len());
    for line in bytes[..end].split(|byte| *byte == b'\n') {
        match piece(line) {
            Some(piece) if map.pieces.len() < MOST_PIECES => map.pieces.push(piece),
            _ => map.left_out += 1,
        }
    }
    // The sort is stable, so that of equal addresses the last line is the last piece.
    map.pieces.sort_by_key(|piece| piece.start);
    map.pieces.reverse();
    map.pieces.dedup_by_key(|piece| piece.start);
    map.pieces.reverse();
    map
}

fn piece(line: &[u8]) -> Option<PerfMapPiece> {
    if line.len() > LONGEST_LINE {
        return None;
    }
    let line = std::str::from_utf8(line).ok()?;
    let (start, rest) = line.split_once(' ')?;
    let (size, name) = rest.split_once(' ')?;
    let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok();
    let piece = PerfMapPiece {
        start: number(start)?,
        size: number(size)?,
        name: name.to_owned(),
    };
    let is_whole = piece.size > 0 && piece.start.checked_add(piece.size).is_some();
    (is_whole && !piece.name.is_empty()).then_some(piece)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LONGEST_LINE, PerfMap, read};

    fn names(map: &PerfMap) -> Vec<(u64, u64, &str)> {
        let pieces = map.pieces.iter();
        pieces
            .map(|piece| (piece.start, piece.size, piece.name.as_str()))
            .collect()
    }

    #[test]
    fn pieces_are_sorted_and_names_may_hold_blanks() {
        let map = read(b"547b00b b py::K.p.<locals>.<lambda>:/a b/lib.py\n0x547b000 b py::one:/lib.py\n");
        assert_eq!(
            names(&map),
            [
                (0x0547_b000, 11, "py::one:/lib.py"),
                (0x0547_b00b, 11, "py::K.p.<locals>.<lambda>:/a b/lib.py")
            ]
        );
        assert_eq!(map.left_out, 0);
    }

    #[test]
    fn a_line_without_its_end_does_not_count() {
        let map = read(b"10 4 whole\n20 4 par");
        assert_eq!(names(&map), [(16, 4, "whole")]);
        assert_eq!(map.left_out, 1);
        assert_eq!(read(b"20 4 par").left_out, 1);
        assert_eq!(read(b""), PerfMap::default());
    }

    #[test]
    fn the_later_of_two_pieces_at_one_address_counts() {
        let map = read(b"10 4 of another process\n30 4 between\n10 8 own\n");
        assert_eq!(names(&map), [(16, 8, "own"), (48, 4, "between")]);
    }

    #[test]
    fn lines_that_are_no_pieces_are_left_out() {
        let long = format!("10 4 {}\n", "n".repeat(LONGEST_LINE));
        let hostile: [&[u8]; 9] = [
            b"\n",
            b"10\n",
            b"10 4\n",
            b"10 4 \n",
            b"-1 4 n\n",
            b"10 0 n\n",
            b"ffffffffffffffff 2 n\n",
            b"10 4 \xff\n",
            long.as_bytes(),
        ];
        for line in hostile {
            let map = read(line);
            assert!(map.pieces.is_empty(), "{}", String::from_utf8_lossy(line));
            assert_eq!(map.left_out, 1);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let map = read(&bytes);
            prop_assert!(map.pieces.windows(2).all(|pair| pair[0].start < pair[1].start));
        }
    }
}
