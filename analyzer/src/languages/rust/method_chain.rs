//! The chain of methods before a call → its receiver, the type of a value, whether a closure runs
//! once or per element.

use syn::{Expr, Lit, Stmt};

use super::language::WORDS;
use super::syn_names::{is_capitalised, last_segment};
use crate::syntax::model::{BlockKind, CallReceiver};

/// The receiver of a method call.
pub(crate) fn receiver(expression: &Expr, is_local: impl Fn(&str) -> bool) -> CallReceiver {
    match stripped(expression) {
        Expr::Path(path) => match path.path.get_ident() {
            Some(name) if name == "self" => CallReceiver::SelfValue,
            Some(name) if is_local(&name.to_string()) => CallReceiver::Local(name.to_string()),
            _ => CallReceiver::Other(None),
        },
        Expr::Field(field) => match (&*field.base, &field.member) {
            (Expr::Path(base), syn::Member::Named(name)) if base.path.is_ident("self") => {
                CallReceiver::SelfField(name.to_string())
            }
            _ => CallReceiver::Other(None),
        },
        Expr::MethodCall(call) => CallReceiver::Result {
            callee: call.method.to_string(),
            of_type: None,
        },
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) if !is_capitalised(&last_segment(&path.path)) => {
                let mut before = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
                let callee = before.next().unwrap_or_default();
                CallReceiver::Result {
                    callee,
                    of_type: before.next().filter(|segment| is_capitalised(segment)),
                }
            }
            _ => CallReceiver::Other(some(shown_type(expression))),
        },
        Expr::Macro(invocation) => {
            let name = last_segment(&invocation.mac.path);
            match WORDS.macro_types.get(&name) {
                Some(shown) => CallReceiver::Other(Some(shown.clone())),
                None => CallReceiver::Result {
                    callee: name,
                    of_type: None,
                },
            }
        }
        other => CallReceiver::Other(some(shown_type(other))),
    }
}

/// True if [`receiver`] says all there is to say.
pub(crate) fn is_shown(expression: &Expr, is_local: impl Fn(&str) -> bool) -> bool {
    match expression {
        Expr::Paren(inner) => is_shown(&inner.expr, is_local),
        Expr::Group(inner) => is_shown(&inner.expr, is_local),
        Expr::Reference(inner) => is_shown(&inner.expr, is_local),
        // `?` is an operation of its own.
        Expr::Try(_) | Expr::MethodCall(_) | Expr::Macro(_) => true,
        Expr::Call(_) => !matches!(receiver(expression, &is_local), CallReceiver::Other(_)),
        other => !matches!(receiver(other, &is_local), CallReceiver::Other(_)),
    }
}

/// Without what only passes a value on.
fn stripped(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => stripped(&inner.expr),
        Expr::Group(inner) => stripped(&inner.expr),
        Expr::Reference(inner) => stripped(&inner.expr),
        Expr::Try(inner) => stripped(&inner.expr),
        Expr::Await(inner) => stripped(&inner.base),
        Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => stripped(&inner.expr),
        other => other,
    }
}

fn some(name: String) -> Option<String> {
    Some(name).filter(|name| !name.is_empty())
}

/// The last segment of a value's type where the expression itself shows it; else empty.
pub(crate) fn shown_type(expression: &Expr) -> String {
    match expression {
        Expr::Struct(literal) => variant_type(&literal.path),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => {
                let name = last_segment(&path.path);
                match name.as_str() {
                    "Some" => "Option".to_owned(),
                    "Ok" | "Err" => "Result".to_owned(),
                    _ if is_capitalised(&name) => variant_type(&path.path),
                    // A function of a type: nearly always its constructor.
                    _ => path
                        .path
                        .segments
                        .iter()
                        .rev()
                        .nth(1)
                        .map(|segment| segment.ident.to_string())
                        .filter(|segment| is_capitalised(segment))
                        .unwrap_or_default(),
                }
            }
            _ => String::new(),
        },
        Expr::Macro(invocation) => WORDS
            .macro_types
            .get(&last_segment(&invocation.mac.path))
            .cloned()
            .unwrap_or_default(),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(_) => "str".to_owned(),
            Lit::ByteStr(_) => "[u8]".to_owned(),
            Lit::Byte(_) => "u8".to_owned(),
            Lit::Char(_) => "char".to_owned(),
            Lit::Bool(_) => "bool".to_owned(),
            Lit::Int(number) => number.suffix().to_owned(),
            Lit::Float(number) if number.suffix().is_empty() => "f64".to_owned(),
            Lit::Float(number) => number.suffix().to_owned(),
            _ => String::new(),
        },
        Expr::Reference(inner) => shown_type(&inner.expr),
        Expr::Paren(inner) => shown_type(&inner.expr),
        Expr::Cast(cast) => super::syn_names::type_name(&cast.ty),
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "to_string" => "String".to_owned(),
            "to_vec" => "Vec".to_owned(),
            "to_owned" | "into" | "clone" => String::new(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

/// `Shape::Circle` is of type `Shape`; `Circle` and `shapes::Circle` of type `Circle`.
fn variant_type(path: &syn::Path) -> String {
    let mut segments = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let last = segments.next().unwrap_or_default();
    segments
        .next()
        .filter(|segment| is_capitalised(segment))
        .unwrap_or(last)
}

/// The kind of block that a closure is when a function takes it.
pub(crate) fn closure_kind(callee: &str, receiver: Option<&Expr>) -> BlockKind {
    if !WORDS.adaptors.contains(callee) {
        return BlockKind::Closure;
    }
    let once = WORDS.ambiguous_adaptors.contains(callee) && receiver.is_some_and(holds_one);
    if once { BlockKind::Closure } else { BlockKind::Loop }
}

/// True if the chain shows an `Option` or `Result` and no iterator after it.
fn holds_one(expression: &Expr) -> bool {
    let mut at = expression;
    loop {
        at = match at {
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                if WORDS.iterator_evidence.contains(&name) {
                    return false;
                }
                if WORDS.single_evidence.contains(&name) {
                    return true;
                }
                &call.receiver
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    let name = last_segment(&path.path);
                    return WORDS.single_constructors.contains(&name) || WORDS.single_evidence.contains(&name);
                }
                _ => return false,
            },
            Expr::Paren(inner) => &inner.expr,
            Expr::Group(inner) => &inner.expr,
            Expr::Reference(inner) => &inner.expr,
            Expr::Try(inner) => &inner.expr,
            _ => return false,
        };
    }
}

/// True if an expression holds something that is a node of its own.
pub(crate) fn holds_nodes(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) | Expr::Path(_) | Expr::Infer(_) => false,
        Expr::Binary(e) => holds_nodes(&e.left) || holds_nodes(&e.right),
        Expr::Cast(e) => holds_nodes(&e.expr),
        Expr::Field(e) => holds_nodes(&e.base),
        Expr::Group(e) => holds_nodes(&e.expr),
        Expr::Paren(e) => holds_nodes(&e.expr),
        Expr::Reference(e) => holds_nodes(&e.expr),
        Expr::Unary(e) => holds_nodes(&e.expr),
        Expr::Index(e) => holds_nodes(&e.expr) || holds_nodes(&e.index),
        Expr::Tuple(e) => e.elems.iter().any(holds_nodes),
        Expr::Array(e) => e.elems.iter().any(holds_nodes),
        Expr::Range(e) => e.start.iter().chain(&e.end).any(|bound| holds_nodes(bound)),
        Expr::Block(e) => e
            .block
            .stmts
            .iter()
            .any(|statement| !matches!(statement, Stmt::Expr(inner, None) if !holds_nodes(inner))),
        Expr::Call(e) => match &*e.func {
            Expr::Path(path) if is_capitalised(&last_segment(&path.path)) => e.args.iter().any(holds_nodes),
            _ => true,
        },
        _ => true,
    }
}
