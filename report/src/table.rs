//! Rows of cells into an aligned table without borders, as wide as the page at most.

use anstyle::{AnsiColor, Effects, Style};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};

/// A column's heading, and to which side its cells are set.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column {
    /// Words, to the left.
    Words(&'static str),
    /// Figures, to the right.
    Figures(&'static str),
}

/// The table as text, a newline after each row. `width` none: as wide as it gets.
pub(crate) fn table(
    columns: &[Column],
    rows: Vec<Vec<(Style, String)>>,
    width: Option<usize>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).enforce_styling();
    if let Some(width) = width {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    table.set_header(columns.iter().map(|column| {
        match column {
            Column::Words(name) => Cell::new(name).add_attribute(Attribute::Bold),
            Column::Figures(name) => Cell::new(name)
                .add_attribute(Attribute::Bold)
                .set_alignment(CellAlignment::Right),
        }
    }));
    for row in rows {
        table.add_row(row.into_iter().zip(columns).map(|((style, text), column)| {
            let cell = styled(Cell::new(text), style);
            match column {
                Column::Words(_) => cell,
                Column::Figures(_) => cell.set_alignment(CellAlignment::Right),
            }
        }));
    }
    let last = columns.len().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == last { 0 } else { 2 }));
    }
    table
        .lines()
        .map(|line| without_padding(&line) + "\n")
        .collect()
}

/// The line without the spaces at its end, which escape sequences may follow.
fn without_padding(line: &str) -> String {
    let mut end = line.len();
    let mut sequences = String::new();
    loop {
        let kept = line[..end].trim_end_matches(' ');
        end = kept.len();
        match kept.rfind('\x1b') {
            Some(start) if kept[start..].find('m') == Some(kept.len() - start - 1) => {
                sequences.insert_str(0, &kept[start..]);
                end = start;
            }
            _ => return format!("{kept}{sequences}"),
        }
    }
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
    for (effect, attribute) in [
        (Effects::BOLD, Attribute::Bold),
        (Effects::DIMMED, Attribute::Dim),
    ] {
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
    fn lines_end_where_their_text_ends() {
        assert_eq!(without_padding("a b  "), "a b");
        assert_eq!(without_padding("a \x1b[2mb   \x1b[0m"), "a \x1b[2mb\x1b[0m");
        assert_eq!(without_padding("a  \x1b[2m  \x1b[0m "), "a\x1b[2m\x1b[0m");
        assert_eq!(without_padding(""), "");
    }
}
