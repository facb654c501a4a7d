//! The model as readable text, for snapshots and for looking at what a front end made of a file.

use std::fmt::Write;

use super::model::{
    BlockId, CallReceiver, ItemKind, NormalisedText, OperationKind, SourceFile, SyntaxBlock, SyntaxCall,
    SyntaxCallForm, SyntaxFunction, SyntaxItem, SyntaxNode,
};

/// One line for each item, function, call, operation and block, nested as they are. `~` stands before a
/// local, `_` is a hole. Digests are left out: they say nothing to a reader.
#[must_use]
pub fn dump(file: &SourceFile) -> String {
    let mut out = String::new();
    for problem in &file.problems {
        let _ = writeln!(out, "problem {}", problem.why);
    }
    for item in &file.items {
        write_item(&mut out, item);
    }
    for function in &file.functions {
        write_function(&mut out, function);
    }
    out
}

fn write_item(out: &mut String, item: &SyntaxItem) {
    let kind = match &item.kind {
        ItemKind::Constant => "constant",
        ItemKind::Type { .. } => "type",
        ItemKind::Trait => "trait",
        ItemKind::Implementation => "implementation",
        ItemKind::Macro => "macro",
        ItemKind::Import { .. } => "import",
        ItemKind::Invocation => "invocation",
        ItemKind::Attribute => "attribute",
        ItemKind::Prototype => "prototype",
        ItemKind::Module => "module",
    };
    let _ = write!(out, "{kind} {}", qualified(&item.path, &item.name));
    match &item.kind {
        ItemKind::Import { target } => {
            let _ = write!(out, " = {}", target.join("::"));
        }
        ItemKind::Type { fields } if !fields.is_empty() => {
            let fields: Vec<String> = fields.iter().map(|(name, shown)| format!("{name}: {shown}")).collect();
            let _ = write!(out, " {{ {} }}", fields.join(", "));
        }
        _ => {}
    }
    let _ = writeln!(
        out,
        " @{}-{}{}",
        item.lines.first,
        item.lines.last,
        flag(item.test_only, " test")
    );
}

fn qualified(path: &[String], name: &str) -> String {
    path.iter()
        .map(String::as_str)
        .chain([name])
        .collect::<Vec<_>>()
        .join("::")
}

fn flag(set: bool, text: &'static str) -> &'static str {
    if set { text } else { "" }
}

fn write_function(out: &mut String, function: &SyntaxFunction) {
    let mut parameters: Vec<String> = function.has_receiver.then(|| "self".to_owned()).into_iter().collect();
    parameters.extend(
        function
            .parameters
            .iter()
            .map(|parameter| format!("{}: {}", parameter.name, parameter.type_name)),
    );
    let _ = write!(out, "fn {}({})", function.path.join("::"), parameters.join(", "));
    if let Some(returns) = &function.returns {
        let _ = write!(out, " -> {returns}");
    }
    if let Some(of_trait) = &function.of_trait {
        let _ = write!(out, " of {of_trait}");
    }
    let _ = write!(
        out,
        "{}{}{}",
        flag(function.is_precomputed, " precomputed"),
        flag(function.public, " public"),
        flag(function.test_only, " test")
    );
    let _ = writeln!(out, " @{}-{}", function.lines.first, function.lines.last);
    for attribute in &function.attributes {
        let _ = writeln!(out, "  #[{attribute}]");
    }
    for (name, shown) in &function.locals {
        let _ = writeln!(out, "  where {name}: {shown}");
    }
    write_nodes(out, function, &function.body().nodes, 1);
}

fn write_block(out: &mut String, function: &SyntaxFunction, id: BlockId, depth: usize) {
    let SyntaxBlock {
        kind,
        head,
        nodes,
        lines,
        ..
    } = function.block(id);
    let indent = "  ".repeat(depth);
    let _ = writeln!(
        out,
        "{indent}{} @{}-{}",
        format!("{kind:?}").to_lowercase(),
        lines.first,
        lines.last
    );
    if !head.is_empty() {
        let _ = writeln!(out, "{indent} head");
        write_nodes(out, function, head, depth + 1);
        let _ = writeln!(out, "{indent} runs");
    }
    write_nodes(out, function, nodes, depth + 1);
}

fn write_nodes(out: &mut String, function: &SyntaxFunction, nodes: &[SyntaxNode], depth: usize) {
    for node in nodes {
        match node {
            SyntaxNode::Block(id) => write_block(out, function, *id, depth),
            SyntaxNode::Call(call) => {
                let _ = writeln!(out, "{}call {}", "  ".repeat(depth), call_text(call));
            }
            SyntaxNode::Operation(operation) => {
                let kind = match &operation.kind {
                    OperationKind::FieldWrite(field) => format!("write {field}"),
                    OperationKind::Compute => "compute".to_owned(),
                    OperationKind::Given => "given".to_owned(),
                    OperationKind::Jump => "jump".to_owned(),
                    OperationKind::Try => "try".to_owned(),
                    OperationKind::Pattern => "pattern".to_owned(),
                };
                let indent = "  ".repeat(depth);
                let _ = writeln!(out, "{indent}{kind} `{}` *{}", shown(&operation.text), operation.weight);
            }
        }
    }
}

fn call_text(call: &SyntaxCall) -> String {
    let callee = &call.callee;
    let name = qualified(&callee.path, &callee.name);
    let called = match &callee.receiver {
        Some(CallReceiver::SelfValue) => format!("self.{name}"),
        Some(CallReceiver::SelfField(field)) => format!("self.{field}.{name}"),
        Some(CallReceiver::Local(local)) => format!("~{local}.{name}"),
        Some(CallReceiver::Result {
            callee,
            of_type: Some(of_type),
        }) => format!("{of_type}::{callee}().{name}"),
        Some(CallReceiver::Result { callee, of_type: None }) => format!("{callee}().{name}"),
        Some(CallReceiver::Other(Some(shown))) => format!("<{shown}>.{name}"),
        Some(CallReceiver::Other(None)) => format!("?.{name}"),
        None => name,
    };
    let mark = match callee.form {
        SyntaxCallForm::Macro => "!",
        SyntaxCallForm::Value => " by value",
        SyntaxCallForm::Path | SyntaxCallForm::Method => "",
    };
    let arguments = &call.arguments;
    let weight = if arguments.weight == 0 {
        String::new()
    } else {
        format!(" *{}", arguments.weight)
    };
    format!(
        "{called}{mark}/{} `{}`{weight}",
        arguments.arity,
        shown(&arguments.text)
    )
}

fn shown(text: &NormalisedText) -> String {
    text.0
        .replace(NormalisedText::LOCAL, "~")
        .replace(NormalisedText::HOLE, "_")
}
