//! Two versions in, classified changes out.

mod model;

pub use model::*;
// STUB
#[allow(missing_docs)]
pub fn match_blocks(_a: &crate::syntax::Function, _b: &crate::syntax::Function) -> BlockMap {
    unimplemented!()
}
#[allow(missing_docs)]
pub fn changes(
    _f: &[crate::sources::FileChange],
    _b: &dyn crate::sources::Tree,
    _a: &dyn crate::sources::Tree,
    _p: &crate::syntax::ParseCache,
) -> ChangeSet {
    unimplemented!()
}
#[allow(missing_docs)]
impl Change {
    pub fn is_test_only(&self, _c: &ChangeSet) -> bool {
        false
    }
}
