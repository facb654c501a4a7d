//! Functions of two call trees, and renames → one table in which a function of both trees has one entry.

use std::collections::BTreeMap;

use crate::call_tree::{CallTree, CallTreeFunction, CallTreeFunctionId};

/// Renamed functions: name before → name after.
pub type FunctionRenames = BTreeMap<String, String>;

/// A function of one tree or of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFunction {
    /// The function as in the second tree, or else as in the first. If the second tree uses the first tree's name for
    /// another function, ` (before)` is appended to the name.
    pub function: CallTreeFunction,
    /// Its index in the first tree.
    pub before: Option<CallTreeFunctionId>,
    /// Its index in the second tree.
    pub after: Option<CallTreeFunctionId>,
}

/// Functions of two trees. Ids of this table are never ids of one of the trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFunctions {
    /// Sorted by name.
    pub table: Vec<SharedFunction>,
    /// For each function of the first tree, its entry in the table.
    pub of_before: Vec<CallTreeFunctionId>,
    /// For each function of the second tree, its entry in the table.
    pub of_after: Vec<CallTreeFunctionId>,
}

impl SharedFunctions {
    /// Joins functions by name, and renamed ones by the rename. A rename counts if each tree has its name of the
    /// function; of two renames that claim one name, the first in the alphabet counts.
    #[must_use]
    pub fn of(before: &CallTree, after: &CallTree, renames: &FunctionRenames) -> Self {
        let (before, after) = (&before.functions, &after.functions);
        let mut renamed: Vec<Option<usize>> = vec![None; before.len()];
        let mut claimed = vec![false; after.len()];
        for (old, new) in renames {
            if let (Some(old), Some(new)) = (find(before, old), find(after, new))
                && !claimed[new]
            {
                renamed[old] = Some(new);
                claimed[new] = true;
            }
        }
        let mut old_of: Vec<Option<usize>> = vec![None; after.len()];
        let mut table = Vec::with_capacity(before.len().max(after.len()));
        for (old, function) in before.iter().enumerate() {
            let named_so = find(after, &function.name);
            let new = renamed[old].or_else(|| named_so.filter(|&new| !claimed[new]));
            match new {
                Some(new) => old_of[new] = Some(old),
                None => {
                    let mut function = function.clone();
                    if named_so.is_some() {
                        function.name.push_str(" (before)");
                    }
                    table.push(SharedFunction {
                        function,
                        before: Some(id(old)),
                        after: None,
                    });
                }
            }
        }
        for (new, function) in after.iter().enumerate() {
            table.push(SharedFunction {
                function: function.clone(),
                before: old_of[new].map(id),
                after: Some(id(new)),
            });
        }
        table.sort_by(|one, other| one.function.name.cmp(&other.function.name));
        let mut of_before = vec![CallTreeFunctionId(0); before.len()];
        let mut of_after = vec![CallTreeFunctionId(0); after.len()];
        for (at, shared) in table.iter().enumerate() {
            if let Some(before) = shared.before {
                of_before[before.0 as usize] = id(at);
            }
            if let Some(after) = shared.after {
                of_after[after.0 as usize] = id(at);
            }
        }
        Self {
            table,
            of_before,
            of_after,
        }
    }
}

/// Binary search by name.
fn find(functions: &[CallTreeFunction], name: &str) -> Option<usize> {
    (functions.binary_search_by(|function| function.name.as_str().cmp(name))).ok()
}

/// Converts an index: the table is at most as long as both trees' tables together, which have 32-bit indices.
fn id(at: usize) -> CallTreeFunctionId {
    CallTreeFunctionId(u32::try_from(at).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{FunctionRenames, SharedFunctions};
    use crate::call_tree::fixtures::tree;

    fn shared(before: &str, after: &str, renames: &[(&str, &str)]) -> Vec<(String, bool, bool)> {
        let renames: FunctionRenames = (renames.iter())
            .map(|(old, new)| ((*old).to_owned(), (*new).to_owned()))
            .collect();
        let functions = SharedFunctions::of(&tree(before), &tree(after), &renames);
        for (at, shared) in functions.table.iter().enumerate() {
            let at = super::id(at);
            assert!(shared.before.is_none_or(|id| functions.of_before[id.0 as usize] == at));
            assert!(shared.after.is_none_or(|id| functions.of_after[id.0 as usize] == at));
        }
        (functions.table.into_iter())
            .map(|one| (one.function.name, one.before.is_some(), one.after.is_some()))
            .collect()
    }

    fn expect(rows: &[(&str, bool, bool)]) -> Vec<(String, bool, bool)> {
        rows.iter()
            .map(|&(name, before, after)| (name.to_owned(), before, after))
            .collect()
    }

    #[test]
    fn functions_of_one_name_are_one_function() {
        assert_eq!(
            shared("main\n a\n b\n", "main\n b\n c\n", &[]),
            expect(&[
                ("a", true, false),
                ("b", true, true),
                ("c", false, true),
                ("main", true, true)
            ])
        );
    }

    #[test]
    fn a_renamed_function_goes_by_its_later_name() {
        assert_eq!(
            shared("main\n old\n", "main\n new\n", &[("old", "new")]),
            expect(&[("main", true, true), ("new", true, true)])
        );
    }

    #[test]
    fn a_rename_of_an_unknown_function_has_no_effect() {
        let renames = [("a", "nowhere"), ("nowhere", "a"), ("main", "main")];
        assert_eq!(
            shared("main\n a\n", "main\n a\n", &renames),
            expect(&[("a", true, true), ("main", true, true)])
        );
    }

    #[test]
    fn a_name_that_passed_to_another_function_stands_for_two() {
        assert_eq!(
            shared("main\n a\n b\n", "main\n b\n", &[("a", "b")]),
            expect(&[("b", true, true), ("b (before)", true, false), ("main", true, true)])
        );
    }

    #[test]
    fn of_two_renames_to_one_name_the_first_counts() {
        assert_eq!(
            shared("main\n a\n b\n", "main\n c\n", &[("b", "c"), ("a", "c")]),
            expect(&[("b", true, false), ("c", true, true), ("main", true, true)])
        );
    }
}
