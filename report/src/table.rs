//! Rows of cells → an aligned table without borders, as wide as the page at most.

use anstyle::{AnsiColor, Effects, Style};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width, presets};

/// Spaces between columns.
const GAP: u16 = 2;

/// A column's heading, and to which side its cells are set.
#[derive(Debug, Clone, Copy)]
pub enum TableColumn {
    /// Words, to the left.
    Words(&'static str),
    /// Figures, to the right.
    Figures(&'static str),
}

/// The table as text, a newline after each row. `width` none: as wide as it gets.
pub fn table(columns: &[TableColumn], rows: Vec<Vec<(Style, String)>>, width: Option<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).enforce_styling();
    if let Some(width) = width {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    table.set_header(columns.iter().map(|column| {
        match column {
            TableColumn::Words(name) => Cell::new(name).add_attribute(Attribute::Bold),
            TableColumn::Figures(name) => Cell::new(name)
                .add_attribute(Attribute::Bold)
                .set_alignment(CellAlignment::Right),
        }
    }));
    let words = longest_words(columns, &rows);
    for row in rows {
        table.add_row(row.into_iter().zip(columns).map(|((style, text), column)| {
            let cell = styled(Cell::new(text), style);
            match column {
                TableColumn::Words(_) => cell,
                TableColumn::Figures(_) => cell.set_alignment(CellAlignment::Right),
            }
        }));
    }
    let last = columns.len().saturating_sub(1);
    let bounds = width.and_then(|width| bounds(words, width));
    for (index, column) in table.column_iter_mut().enumerate() {
        let gap = if index == last { 0 } else { GAP };
        column.set_padding((0, gap));
        if let Some(bounds) = &bounds {
            let bound = Width::Fixed(bounds[index] + gap);
            column.set_constraint(ColumnConstraint::LowerBoundary(bound));
        }
    }
    table.lines().map(|line| without_padding(&line) + "\n").collect()
}

/// The longest word of each column, in characters: narrower than that, and words are broken.
fn longest_words(columns: &[TableColumn], rows: &[Vec<(Style, String)>]) -> Vec<u16> {
    let longest = |text: &str| {
        let words = text.split_whitespace().map(|word| word.chars().count());
        u16::try_from(words.max().unwrap_or_default()).unwrap_or(u16::MAX)
    };
    let heads = columns.iter().map(|column| match column {
        TableColumn::Words(name) | TableColumn::Figures(name) => longest(name),
    });
    let mut words: Vec<u16> = heads.collect();
    for row in rows {
        for (word, (_, cell)) in words.iter_mut().zip(row) {
            *word = (*word).max(longest(cell));
        }
    }
    words
}

/// These widths as the least ones, where the page has room for them.
fn bounds(words: Vec<u16>, width: usize) -> Option<Vec<u16>> {
    let gaps = usize::from(GAP) * words.len().saturating_sub(1);
    let taken: usize = words.iter().map(|word| usize::from(*word)).sum();
    (taken + gaps <= width).then_some(words)
}

/// The line without the spaces at its end, which escape sequences may follow.
fn without_padding(line: &str) -> String {
    let mut kept = line.trim_end_matches(' ');
    let mut sequences = String::new();
    while let Some(start) = kept.rfind('\x1b') {
        if kept[start..].find('m') != Some(kept.len() - start - 1) {
            break;
        }
        sequences.insert_str(0, &kept[start..]);
        kept = kept[..start].trim_end_matches(' ');
    }
    format!("{kept}{sequences}")
}

fn styled(cell: Cell, style: Style) -> Cell {
    let color = match style.get_fg_color() {
        Some(anstyle::Color::Ansi(AnsiColor::Red)) => Some(Color::DarkRed),
        Some(anstyle::Color::Ansi(AnsiColor::Green)) => Some(Color::DarkGreen),
        Some(anstyle::Color::Ansi(AnsiColor::Yellow)) => Some(Color::DarkYellow),
        Some(anstyle::Color::Ansi(AnsiColor::Cyan)) => Some(Color::DarkCyan),
        _ => None,
    };
    let mut cell = match color {
        Some(color) => cell.fg(color),
        None => cell,
    };
    for (effect, attribute) in [(Effects::BOLD, Attribute::Bold), (Effects::DIMMED, Attribute::Dim)] {
        if style.get_effects().contains(effect) {
            cell = cell.add_attribute(attribute);
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_broken_where_there_is_room_for_them() {
        let columns = [TableColumn::Words("name"), TableColumn::Figures("regressions")];
        let row = |name: &str| vec![(Style::new(), name.to_owned()), (Style::new(), String::from("1"))];
        let rows = vec![row("a name of many words"), row("segmentation")];
        let lines = table(&columns, rows.clone(), Some(27));
        assert!(
            lines.contains("regressions") && lines.contains("segmentation"),
            "{lines}"
        );
        assert!(lines.lines().skip(1).all(|line| line.chars().count() <= 27), "{lines}");
        assert!(table(&columns, rows, Some(12)).lines().count() > 4);
    }

    #[test]
    fn lines_end_where_their_text_ends() {
        assert_eq!(without_padding("a b  "), "a b");
        assert_eq!(without_padding("a \x1b[2mb   \x1b[0m"), "a \x1b[2mb\x1b[0m");
        assert_eq!(without_padding("a  \x1b[2m  \x1b[0m "), "a\x1b[2m\x1b[0m");
        assert_eq!(without_padding(""), "");
    }
}
