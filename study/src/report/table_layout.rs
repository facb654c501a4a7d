//! A table, and its layouts: for a terminal, as markdown, as HTML.

use anstyle::Style;

use report::style::{BAD, FAINT, GOOD, STRONG, UNSURE, paint};
use report::table::{TableColumn, table};
use report::text;

/// One cell with its style on a terminal.
pub(super) type StyledCell = (Style, String);

/// A heading, a one-sentence description, columns and rows.
#[derive(Debug)]
pub(super) struct EvaluationTable {
    pub(super) title: String,
    pub(super) about: String,
    pub(super) columns: Vec<TableColumn>,
    pub(super) rows: Vec<Vec<StyledCell>>,
    /// A last column of the HTML layout; other layouts have no drawings.
    pub(super) drawn: Option<DrawnColumn>,
}

/// A column of drawings.
#[derive(Debug)]
pub(super) struct DrawnColumn {
    pub(super) name: &'static str,
    /// The meaning of the drawings, below the description of the table.
    pub(super) about: String,
    /// One SVG for each row from the first on, or nothing.
    pub(super) cells: Vec<String>,
}

/// A cell without a style.
pub(super) fn plain(text: impl Into<String>) -> StyledCell {
    (Style::new(), text.into())
}

/// An emphasised cell.
pub(super) fn strong(text: impl Into<String>) -> StyledCell {
    (STRONG, text.into())
}

impl EvaluationTable {
    /// The layout for a terminal. Names are made safe for a terminal here.
    pub(super) fn human(&self, width: Option<usize>) -> String {
        let rows = self
            .rows
            .iter()
            .map(|row| {
                row.iter()
                    .map(|(style, cell)| (*style, text::safe(cell).into_owned()))
                    .collect()
            })
            .collect();
        let mut out = format!("{}\n", paint(STRONG, &self.title));
        if !self.about.is_empty() {
            for line in text::wrapped(&self.about, width.unwrap_or(100)) {
                out.push_str(&format!("{}\n", paint(FAINT, &line)));
            }
        }
        out.push('\n');
        out.push_str(&table(&self.columns, rows, width));
        out
    }

    /// The layout as markdown, under a heading of the third level.
    pub(super) fn markdown(&self) -> String {
        let (mut heads, mut rules) = (String::from("|"), String::from("|"));
        for column in &self.columns {
            let (name, rule) = match column {
                TableColumn::Words(name) => (name, "---|"),
                TableColumn::Figures(name) => (name, "---:|"),
            };
            heads.push_str(&format!(" {name} |"));
            rules.push_str(rule);
        }
        let mut out = format!("### {}\n\n", text::markdown_prose(&self.title));
        if !self.about.is_empty() {
            out.push_str(&format!("{}\n\n", text::markdown_prose(&self.about)));
        }
        out.push_str(&format!("{heads}\n{rules}\n"));
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .map(|(style, cell)| {
                    let prose = text::markdown_prose(cell);
                    if *style == STRONG && !prose.is_empty() {
                        format!("**{prose}**")
                    } else {
                        prose
                    }
                })
                .collect();
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        out
    }

    /// The layout as an HTML table under its title, which is the anchor. The title is not a `caption`: that would be as
    /// narrow as the table, and scroll away with it.
    pub(super) fn html(&self, id: &str) -> String {
        let mut out = format!("<h3 id=\"{id}\">{}</h3>\n", escaped(&self.title));
        let drawn = self.drawn.as_ref();
        for about in [Some(&self.about), drawn.map(|drawn| &drawn.about)]
            .into_iter()
            .flatten()
        {
            if !about.is_empty() {
                out.push_str(&format!("<p class=\"about\">{}</p>\n", escaped(about)));
            }
        }
        out.push_str(&format!(
            "<div class=\"scroll\" role=\"region\" aria-labelledby=\"{id}\" tabindex=\"0\">\
             <table aria-labelledby=\"{id}\">\n<thead><tr>"
        ));
        for column in &self.columns {
            match column {
                TableColumn::Words(name) => {
                    out.push_str(&format!("<th scope=\"col\">{}</th>", escaped(name)));
                }
                TableColumn::Figures(name) => {
                    out.push_str(&format!("<th scope=\"col\" class=\"n\">{}</th>", escaped(name)));
                }
            }
        }
        if let Some(drawn) = drawn {
            out.push_str(&format!("<th scope=\"col\">{}</th>", escaped(drawn.name)));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for (at, row) in self.rows.iter().enumerate() {
            out.push_str("<tr>");
            for (index, ((style, cell), column)) in row.iter().zip(&self.columns).enumerate() {
                let mut classes = Vec::new();
                if matches!(column, TableColumn::Figures(_)) {
                    classes.push("n");
                }
                match *style {
                    GOOD => classes.push("good"),
                    BAD => classes.push("bad"),
                    UNSURE => classes.push("unsure"),
                    FAINT => classes.push("faint"),
                    STRONG => classes.push("strong"),
                    _ => {}
                }
                let class = if classes.is_empty() {
                    String::new()
                } else {
                    format!(" class=\"{}\"", classes.join(" "))
                };
                let cell = escaped(cell);
                if index == 0 {
                    out.push_str(&format!("<th scope=\"row\"{class}>{cell}</th>"));
                } else {
                    out.push_str(&format!("<td{class}>{cell}</td>"));
                }
            }
            if let Some(drawn) = drawn {
                let cell = drawn.cells.get(at).map_or("", String::as_str);
                out.push_str(&format!("<td class=\"drawn\">{cell}</td>"));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        out
    }
}

/// The text escaped for HTML, for an element or an attribute in double quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text::safe(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
