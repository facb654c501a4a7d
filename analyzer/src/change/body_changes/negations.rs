//! Conditions that changed → those that hold where they did not.

use super::FunctionChangeCollector;
use crate::change::compare::{BlockPart, UnmatchedNode};
use crate::change::model::ExecutionEdit;
use crate::change::text_tokens::{NameTranslation, TextToken, tokens};
use crate::syntax::{BlockId, SyntaxBlock, SyntaxNode};

impl<'f> FunctionChangeCollector<'_, 'f> {
    /// Marks the heads that are the contrary of what they were.
    pub(super) fn tell_negations(&mut self) {
        for (&of, &change) in &self.of_head {
            let is_contrary = self.is_contrary(of);
            for edit in &mut self.changes[change].edits {
                if let ExecutionEdit::Reconditioned { block, is_negated, .. } = edit {
                    *is_negated = *block == of && is_contrary;
                }
            }
        }
    }

    fn is_contrary(&self, of: BlockId) -> bool {
        let comparison = self.comparison;
        let before = comparison.reading_of_before(self.renames);
        let of_head = |nodes: &[UnmatchedNode<'f>], reading: NameTranslation<'_>| {
            let mut texts = Vec::new();
            for node in nodes {
                if node
                    .gap
                    .is_none_or(|gap| gap.block != of || gap.part != BlockPart::Head)
                {
                    continue;
                }
                match node.node {
                    SyntaxNode::Operation(operation) => {
                        let words = tokens(&operation.text).map(|token| reading.token(token).written());
                        texts.push(words.collect::<Vec<String>>());
                    }
                    SyntaxNode::Call(_) | SyntaxNode::Block(_) => return None,
                }
            }
            Some(texts)
        };
        // The right side of `&&` is a block of its own.
        let is_joined = |block: &SyntaxBlock| {
            let mut parts = block.head.iter();
            parts.any(|node| matches!(node, SyntaxNode::Block(id) if comparison.after.block(*id).kind.is_conditional()))
        };
        let is_given_others = (comparison.regiven.iter()).any(|call| call.block == of && call.part == BlockPart::Head);
        let sides = of_head(&comparison.removed, before).zip(of_head(&comparison.added, NameTranslation::default()));
        !is_given_others
            && !is_joined(comparison.after.block(of))
            && sides.is_some_and(|(gone, new)| match (&gone[..], &new[..]) {
                ([was], [is]) => are_contrary(was, is),
                // The value of a call is no operation by itself.
                ([alone], []) | ([], [alone]) => are_contrary(alone, &[TextToken::Hole.written()]),
                _ => false,
            })
    }
}

/// True if one of two conditions is the other one with a `not`, or compares the other way.
fn are_contrary(one: &[String], other: &[String]) -> bool {
    let (one, other) = (inside(one), inside(other));
    let negated = |text: &[String]| match text.split_first() {
        Some((sign, rest)) if matches!(&**sign, "!" | "not") && is_one_term(rest) => Some(inside(rest).to_vec()),
        _ => None,
    };
    if negated(one).is_some_and(|rest| rest == other) || negated(other).is_some_and(|rest| rest == one) {
        return true;
    }
    let mut differing = one.iter().zip(other).filter(|(one, other)| one != other);
    let compares_alone =
        |text: &[String]| text.iter().filter(|word| is_comparison(word)).count() == 1 && !is_joined(text);
    one.len() == other.len()
        && matches!((differing.next(), differing.next()), (Some((one, other)), None) if is_contrary_sign(one, other))
        && compares_alone(one)
}

/// A text without parentheses around it.
fn inside(text: &[String]) -> &[String] {
    match text {
        [open, inside @ .., close]
            if open == "(" && close == ")" && !inside.iter().any(|word| word == "(" || word == ")") =>
        {
            inside
        }
        _ => text,
    }
}

fn is_joined(text: &[String]) -> bool {
    (text.iter()).any(|word| matches!(&**word, "&&" | "||" | "and" | "or" | "?" | "!" | "not"))
}

/// True for what a `not` in front of it takes as a whole.
fn is_one_term(text: &[String]) -> bool {
    text.len() == 1
        || text.first().is_some_and(|word| word == "(") && inside(text).len() + 2 == text.len()
        || !text.iter().any(|word| is_comparison(word)) && !is_joined(text)
}

fn is_comparison(word: &str) -> bool {
    matches!(word, "==" | "!=" | "<" | ">=" | ">" | "<=" | "is" | "in")
}

fn is_contrary_sign(one: &str, other: &str) -> bool {
    [("==", "!="), ("<", ">="), (">", "<=")]
        .into_iter()
        .any(|pair| pair == (one, other) || pair == (other, one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are(one: &str, other: &str) -> bool {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        are_contrary(&words(one), &words(other)) && are_contrary(&words(other), &words(one))
    }

    #[test]
    fn a_condition_is_the_contrary_of_itself_with_a_not_or_with_the_other_comparison() {
        for (one, other) in [
            ("! x", "x"),
            ("( ! x )", "( x )"),
            ("not x . y", "x . y"),
            ("! ( a == b )", "a == b"),
            ("a == b", "a != b"),
            ("a < b", "a >= b"),
        ] {
            assert!(are(one, other), "{one} and {other}");
        }
    }

    #[test]
    fn other_conditions_are_no_contraries() {
        for (one, other) in [
            ("x", "x"),
            ("! x", "y"),
            ("not x and y", "x and y"),
            ("! a == b", "a == b"),
            ("a < b", "a > b"),
            ("a < b && c", "a >= b && c"),
            ("a == b", "a != c"),
            ("a < b", "a <= b"),
        ] {
            assert!(!are(one, other), "{one} and {other}");
        }
    }
}
