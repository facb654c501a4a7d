//! GitHub's reading of a page, by a parser that shares nothing with the writer: the tree of its markdown, and in the
//! text that readers see, what is made into a link, a mention or a picture afterwards.

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};

/// The blocks of the page, and the inline nodes that are neither text nor code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkdownStructure(Vec<String>);

/// Parses the page as GitHub does, and holds it against the rules that no name may break.
pub(super) fn shape(page: &str) -> Result<MarkdownStructure, String> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.table = true;
    extension.strikethrough = true;
    extension.tasklist = true;
    extension.autolink = true;
    extension.footnotes = true;
    extension.alerts = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.shortcodes = true;
    let arena = Arena::new();
    let root = parse_document(&arena, page, &options);
    let mut shape = Vec::new();
    describe(root, 0, &mut shape)?;
    Ok(MarkdownStructure(shape))
}

fn describe<'a>(node: &'a AstNode<'a>, depth: usize, shape: &mut Vec<String>) -> Result<(), String> {
    let said = match &node.data().value {
        NodeValue::Link(_)
        | NodeValue::Image(_)
        | NodeValue::HtmlInline(_)
        | NodeValue::Strikethrough
        | NodeValue::FootnoteReference(_)
        | NodeValue::FootnoteDefinition(_)
        | NodeValue::Math(_)
        | NodeValue::ShortCode(_)
        | NodeValue::TaskItem(_)
        | NodeValue::Alert(_)
        | NodeValue::BlockQuote
        | NodeValue::LineBreak
        | NodeValue::ThematicBreak => {
            return Err(format!("a name made {:?}", node.data().value));
        }
        NodeValue::HtmlBlock(block) => {
            let html = block.literal.trim();
            if !is_ours(html) {
                return Err(format!("HTML: {html}"));
            }
            html.split(' ').next().unwrap_or_default().to_owned()
        }
        NodeValue::Heading(heading) => format!("heading {}", heading.level),
        NodeValue::Table(table) => format!("table of {} columns", table.num_columns),
        NodeValue::Item(_) => String::from("item"),
        NodeValue::List(list) => format!("{:?}", list.list_type),
        NodeValue::CodeBlock(block) => {
            if block.literal.lines().count() != 1 {
                return Err(format!("a block of code of several lines: {}", block.literal));
            }
            String::from("block of code")
        }
        NodeValue::Text(text) => return plain(text),
        NodeValue::Code(_) | NodeValue::SoftBreak => return Ok(()),
        other => format!("{other:?}")
            .split(['(', ' '])
            .next()
            .unwrap_or_default()
            .to_owned(),
    };
    shape.push(format!("{depth} {said}"));
    for child in node.children() {
        describe(child, depth + 1, shape)?;
    }
    Ok(())
}

/// The page's own HTML.
fn is_ours(html: &str) -> bool {
    let own = |title: &str| title.chars().all(|c| c.is_ascii_alphanumeric() || " ,".contains(c));
    html == super::MARKER
        || html == "</details>"
        || html
            .strip_prefix("<details><summary>")
            .and_then(|rest| rest.strip_suffix("</summary>"))
            .is_some_and(own)
}

/// Nothing in the text that GitHub links, or shows as something else.
fn plain(text: &str) -> Result<(), String> {
    let text: Vec<char> = text.chars().collect();
    let at = |index: usize| text.get(index).copied().unwrap_or(' ');
    let starts =
        |index: usize, with: &str| (with.chars().enumerate()).all(|(n, c)| at(index + n).eq_ignore_ascii_case(&c));
    for index in 0..text.len() {
        let c = text[index];
        let word = text[index..].iter().take_while(|c| c.is_ascii_alphanumeric());
        let hexadecimal = text[index..].iter().take_while(|c| c.is_ascii_hexdigit()).count();
        let is_id = hexadecimal >= 7 && word.count() == hexadecimal && {
            index == 0 || !text[index - 1].is_ascii_alphanumeric()
        };
        let after = at(index + 1);
        let shortcode = || {
            let word = text[index + 1..].iter();
            let length = word.take_while(|c| c.is_alphanumeric() || "+-_".contains(**c)).count();
            length > 0 && at(index + 1 + length) == ':'
        };
        let found = match c {
            '@' if after.is_alphanumeric() => "a mention",
            '#' if after.is_ascii_digit() => "an issue",
            ':' if shortcode() => "an emoji",
            ':' if after == '/' => "an address",
            _ if starts(index, "www.") => "an address",
            _ if starts(index, "gh-") && at(index + 3).is_ascii_digit() => "an issue",
            _ if starts(index, "cve-") && at(index + 4).is_ascii_digit() => "an advisory",
            _ if starts(index, "ghsa-") && at(index + 5).is_alphanumeric() => "an advisory",
            _ if is_id => "a commit",
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => "reordered text",
            _ => continue,
        };
        let text: String = text.iter().collect();
        return Err(format!("{found} in {text:?}"));
    }
    Ok(())
}

#[test]
fn the_oracle_finds_what_it_is_there_for() {
    for bad in [
        "[a](b)",
        "![a](b)",
        "<b>a</b>",
        "<script>",
        "<details><summary>a <b></summary>",
        "<!-- lito: other -->",
        "https://a.example",
        "www.a.example",
        "a@b.example",
        "@all",
        "a&#64;all",
        "o/r#1",
        "GH-1",
        ":tada:",
        "$x$",
        "$`x`$",
        "~~a~~",
        "> [!NOTE]\n> a",
        "- [ ] a",
        "a[^1]\n\n[^1]: b",
        "0123456789abcdef",
        "a  \nb",
        "---",
        "```\na\nb\n```",
        "\u{202e}",
    ] {
        assert!(shape(bad).is_err(), "{bad}");
    }
    assert_ne!(shape("a"), shape("# a"));
    assert_ne!(shape("a"), shape("*a*"));
    assert_ne!(shape("|a|\n|-|\n|b|"), shape("|a|b|\n|-|-|\n|b|c|"));
    assert_eq!(shape("a"), shape("`<b>` @ # :"));
}
