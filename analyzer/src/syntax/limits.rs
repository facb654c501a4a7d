//! How much of a file is looked at before it counts as too costly to analyse.

/// Limits of a [`SourceParser`](super::SourceParser), each with the reason for its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ParseLimits {
    /// Bytes of one file. Hand-written files stay below; the largest in a sample of 1,700 published
    /// files has 1.1 MB, and is generated.
    pub bytes: usize,
    /// Nesting: open brackets, plus the tokens of the expressions that are being continued, which bounds
    /// the height of any syntax tree. Hand-written code stays below 300.
    pub depth: u32,
    /// Nodes of a file's function bodies, which bounds memory: a node takes about 200 bytes.
    pub nodes: usize,
    /// Functions and items, which bounds the comparison of two versions: some of it takes each with each.
    pub definitions: usize,
    /// Scopes around a definition, because each definition has a name as long as that. Hand-written code stays below 10.
    pub scopes: usize,
    /// Steps of texts and digests for each byte, beyond [`Self::least_steps`]. Of 15,000 published Rust files none
    /// takes more than 5, beyond 100,000.
    pub steps_per_byte: u64,
    /// Steps that every source may take, however short.
    pub least_steps: u64,
    /// Steps of an error-tolerant parser for a file of any size. Sources of 2 MB without errors take about as many.
    pub parser_steps: u64,
}

impl Default for ParseLimits {
    fn default() -> Self {
        Self {
            bytes: 2 << 20,
            depth: 5_000,
            nodes: 1_000_000,
            definitions: 10_000,
            scopes: 64,
            steps_per_byte: 50,
            least_steps: 4_000_000,
            parser_steps: 10_000_000,
        }
    }
}

impl ParseLimits {
    /// Whether a file has more than may be looked at: scopes around the next definition, definitions and nodes so far.
    pub(crate) fn are_reached(&self, scopes: usize, definitions: usize, nodes: usize) -> bool {
        scopes > self.scopes || definitions > self.definitions || nodes > self.nodes
    }
}

/// Files up to this depth are parsed on the caller's stack; 2 MiB (a worker thread's) is ample for them.
pub(crate) const SHALLOW_DEPTH: u32 = 400;

/// Stack for deeper files: 5,000 levels at up to 50 kB for a level's frames. Only touched pages count.
pub(crate) const DEEP_STACK_BYTES: usize = 256 << 20;
