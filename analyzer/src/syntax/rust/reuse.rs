//! The top-level items of a file → the model, each text parsed once: from one version of a file to the next
//! nearly all items stay as they are, and at most move to other lines. Gives up where the items taken one by one
//! do not parse; the whole file then says why.

use std::sync::{Arc, Mutex, PoisonError};

use super::chunks::{Chunks, begins_inner_attribute, chunks};
use super::function::Place;
use super::items::FileLowering;
use super::language::WORDS;
use super::names;
use super::position::Positions;
use super::{Parsed, syntax_tree};
use crate::syntax::model::{Block, Function, Item, Lines, Node};
use crate::syntax::recent::Recent;
use crate::syntax::tokens::{Token, Tokens};

/// Items of Rust files, lowered, by their text.
#[derive(Debug)]
pub(crate) struct Items {
    /// Those that any build sees, and those of files that only tests see.
    kept: [Mutex<Recent<Arc<str>, Arc<Lowered>>>; 2],
}

/// What one item became. It stands on the lines where it was last met.
#[derive(Debug)]
struct Lowered {
    first_line: u32,
    functions: Vec<Arc<Function>>,
    items: Vec<Item>,
    nodes: usize,
}

impl Items {
    /// Keeps the models of at most `capacity` bytes of source, for tests and for all else.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            kept: [capacity, capacity].map(|capacity| Mutex::new(Recent::new(capacity))),
        }
    }

    fn kept(&self, for_tests: bool) -> std::sync::MutexGuard<'_, Recent<Arc<str>, Arc<Lowered>>> {
        // A map is whole at every moment a panic could leave it.
        self.kept[usize::from(for_tests)]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The model of a file, item by item; `None` where that does not work out.
pub(crate) fn parse(tokens: &Tokens<'_>, test_only: bool, items: &Items) -> Option<Parsed> {
    let Chunks {
        attributes,
        items: spans,
    } = chunks(tokens);
    let mut parsed = Parsed::default();
    let mut test_only = test_only;
    if !attributes.is_empty() {
        let chunk = Chunk::new(tokens, &tokens.list[attributes]);
        let tree = syntax_tree(chunk.text).ok()?;
        test_only |= names::for_tests(&tree.attrs);
        parsed.add(&chunk.lower(&tree, test_only));
    }
    if spans
        .iter()
        .any(|span| begins_inner_attribute(tokens, span.start))
    {
        return None;
    }
    let chunks: Vec<Chunk<'_>> = spans
        .into_iter()
        .map(|span| Chunk::new(tokens, &tokens.list[span]))
        .collect();
    let known: Vec<Option<Arc<Lowered>>> = {
        let mut kept = items.kept(test_only);
        chunks.iter().map(|chunk| kept.find(chunk.text)).collect()
    };
    let mut new = Vec::new();
    for (chunk, known) in chunks.iter().zip(known) {
        let lowered = match known {
            Some(lowered) if lowered.first_line == chunk.first_line => lowered,
            known => {
                let lowered = Arc::new(match known {
                    Some(elsewhere) => elsewhere.moved(chunk.first_line),
                    None => chunk.lower(&syntax_tree(chunk.text).ok()?, test_only),
                });
                new.push((chunk.text, Arc::clone(&lowered)));
                lowered
            }
        };
        parsed.add(&lowered);
    }
    let mut kept = items.kept(test_only);
    for (text, lowered) in new {
        kept.insert(Arc::from(text), lowered, text.len());
    }
    Some(parsed)
}

impl Parsed {
    fn add(&mut self, lowered: &Lowered) {
        self.functions.extend(lowered.functions.iter().cloned());
        self.items.extend(lowered.items.iter().cloned());
        self.nodes += lowered.nodes;
    }
}

/// One item of a file.
struct Chunk<'s> {
    text: &'s str,
    first_line: u32,
    tokens: &'s [Token],
}

impl<'s> Chunk<'s> {
    fn new(whole: &'s Tokens<'s>, tokens: &'s [Token]) -> Self {
        let start = tokens.first().map_or(0, |token| token.start);
        let end = tokens.last().map_or(0, |token| token.end);
        Self {
            text: &whole.source[start as usize..end as usize],
            first_line: tokens.first().map_or(1, |token| token.line),
            tokens,
        }
    }

    /// The model of the item, parsed as a file of its own.
    fn lower(&self, tree: &syn::File, test_only: bool) -> Lowered {
        let start = self.tokens.first().map_or(0, |token| token.start);
        let list = self
            .tokens
            .iter()
            .map(|token| Token {
                start: token.start - start,
                end: token.end - start,
                line: token.line - self.first_line + 1,
                kind: token.kind,
            })
            .collect();
        let tokens = Tokens {
            source: self.text,
            list,
        };
        let positions = Positions::new(self.text);
        let mut file = FileLowering {
            positions: &positions,
            tokens: &tokens,
            words: &WORDS,
            functions: Vec::new(),
            items: Vec::new(),
            nodes: 0,
        };
        let place = Place {
            test_only,
            ..Place::default()
        };
        file.attribute_items(&tree.attrs, &place);
        for item in &tree.items {
            file.item(item, &place);
        }
        let FileLowering {
            functions,
            items,
            nodes,
            ..
        } = file;
        let mut lowered = Lowered {
            first_line: 1,
            functions,
            items,
            nodes,
        };
        lowered.move_to(self.first_line);
        lowered
    }
}

impl Lowered {
    /// The same item on other lines.
    fn moved(&self, first_line: u32) -> Self {
        let mut moved = Self {
            first_line: self.first_line,
            functions: self.functions.clone(),
            items: self.items.clone(),
            nodes: self.nodes,
        };
        moved.move_to(first_line);
        moved
    }

    fn move_to(&mut self, first_line: u32) {
        let shift = Shift {
            from: self.first_line,
            to: first_line,
        };
        self.first_line = first_line;
        if shift.from == shift.to {
            return;
        }
        for function in &mut self.functions {
            shift.function(Arc::make_mut(function));
        }
        for item in &mut self.items {
            shift.lines(&mut item.lines);
        }
    }
}

/// From which first line to which.
#[derive(Clone, Copy)]
struct Shift {
    from: u32,
    to: u32,
}

impl Shift {
    fn function(self, function: &mut Function) {
        self.lines(&mut function.lines);
        for block in &mut function.blocks {
            self.block(block);
        }
    }

    fn block(self, block: &mut Block) {
        self.lines(&mut block.lines);
        for node in block.head.iter_mut().chain(&mut block.nodes) {
            match node {
                Node::Call(call) => self.line(&mut call.line),
                Node::Operation(operation) => self.line(&mut operation.line),
                Node::Block(_) => {}
            }
        }
    }

    fn lines(self, lines: &mut Lines) {
        self.line(&mut lines.first);
        self.line(&mut lines.last);
    }

    fn line(self, line: &mut u32) {
        *line = (*line + self.to).saturating_sub(self.from);
    }
}
