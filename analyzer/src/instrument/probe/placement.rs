//! The form of an expression or a statement → where a probe may be inserted.

use syn::{Expr, Stmt};

use crate::languages::rust::method_chain;
use crate::languages::rust::source_positions::leftmost;

/// True if an expression begins with a block but goes on after it: as a statement it would end there.
pub(super) fn begins_as_statement(expression: &Expr) -> bool {
    let at = leftmost(expression);
    let is_block = matches!(
        at,
        Expr::Block(_)
            | Expr::If(_)
            | Expr::Match(_)
            | Expr::Loop(_)
            | Expr::While(_)
            | Expr::ForLoop(_)
            | Expr::Unsafe(_)
            | Expr::TryBlock(_)
            | Expr::Async(_)
            | Expr::Const(_)
            | Expr::Macro(_)
    );
    is_block && !std::ptr::eq(at, expression)
}

/// True if the code after a statement may run less often than the statement, or if its calls must be told apart from
/// later ones.
pub(super) fn may_leave(statement: &Stmt) -> bool {
    match statement {
        Stmt::Local(local) => local
            .init
            .as_ref()
            .is_some_and(|init| init.diverge.is_some() || method_chain::holds_nodes(&init.expr)),
        Stmt::Expr(expression, _) => method_chain::holds_nodes(expression),
        Stmt::Macro(_) => true,
        Stmt::Item(_) => false,
    }
}

/// True for expressions that make a value, which may be moved. A place expression must stay where it is.
pub(super) fn is_value(expression: &Expr) -> bool {
    match expression {
        Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Try(_)
        | Expr::Await(_)
        | Expr::Binary(_)
        | Expr::Tuple(_)
        | Expr::Struct(_)
        | Expr::Cast(_) => true,
        Expr::Reference(inner) => is_value(&inner.expr),
        Expr::Paren(inner) => is_value(&inner.expr),
        _ => false,
    }
}
