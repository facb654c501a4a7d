; Rust → the model, for sources that syn cannot parse. What each capture means stands in
; analyzer/src/syntax/tree_sitter/captures.rs.

; Functions and what is around them.
(function_item
  name: (identifier) @name
  return_type: (_)? @returns
  body: (block) @body) @function
(mod_item name: (identifier) @name body: (_)) @scope
(impl_item trait: (_)? @trait type: (_) @name) @scope @owner @item.implementation
(trait_item name: (type_identifier) @name @trait) @scope @item.trait
(parameters (self_parameter) @self)
(parameters (parameter pattern: (_) @name type: (_) @type) @parameter)
(function_item (visibility_modifier) @public)
(visibility_modifier) @skip
(attribute_item (attribute) @attribute)
((attribute_item (attribute) @test) (#match? @test "^(\\w+::)*test\\b|^cfg\\s*\\((\\s*all\\s*\\()?\\s*test\\b"))
(source_file (inner_attribute_item (attribute) @item.attribute @name))

; Blocks.
(for_expression pattern: (_) @head value: (_) @head) @loop
(while_expression condition: (_) @head) @loop
(loop_expression) @loop
(if_expression condition: (_) @head) @conditional
(if_expression alternative: (_) @after)
(else_clause (block)) @conditional
(let_declaration alternative: (_) @after @conditional)
(binary_expression operator: ["&&" "||"] right: (_) @lazy)
(let_chain "&&" (_) @lazy)
(match_arm) @arm
(match_arm pattern: (match_pattern . (_) @pattern) @head)
(match_arm value: (_) @compute)
(closure_expression body: (_) @compute) @closure
(closure_expression parameters: (closure_parameters (_)) @head @pattern)

[(match_expression) (block) (unsafe_block) (async_block) (const_block)] @inline

; Calls; a capitalised name constructs a value.
((call_expression function: (identifier) @name arguments: (_) @arguments) @call (#not-match? @name "^[A-Z]"))
((call_expression function: (scoped_identifier path: (_)? @path name: (_) @name) arguments: (_) @arguments) @call (#not-match? @name "^[A-Z]"))
((call_expression function: (generic_function function: (identifier) @name) arguments: (_) @arguments) @call (#not-match? @name "^[A-Z]"))
((call_expression function: (generic_function function: (scoped_identifier path: (_)? @path name: (_) @name)) arguments: (_) @arguments) @call (#not-match? @name "^[A-Z]"))
(call_expression function: (field_expression value: (_) @receiver field: (_) @name) arguments: (_) @arguments) @call
(call_expression function: (generic_function function: (field_expression value: (_) @receiver field: (_) @name)) arguments: (_) @arguments) @call
(call_expression function: [(parenthesized_expression) (call_expression) (index_expression)] @value arguments: (_) @arguments) @call
(call_expression function: [(identifier) (scoped_identifier) (generic_function)] @skip)
((macro_invocation macro: (identifier) @name (token_tree) @arguments) @call @macro (#not-match? @name "^(matches|cfg|concat|env|file|include|include_bytes|include_str|line|module_path|option_env|stringify)$"))
((macro_invocation macro: (scoped_identifier path: (_)? @path name: (_) @name) (token_tree) @arguments) @call @macro)

; Operations.
(expression_statement) @compute
(let_declaration pattern: (_) value: (_)) @compute
(let_condition) @pattern
(match_expression value: (_) @compute)
(block (_) @compute .)
(return_expression) @jump
(break_expression) @jump
(continue_expression) @jump
(yield_expression) @jump
(try_expression) @try
(assignment_expression left: (field_expression field: (_) @field)) @write
(compound_assignment_expr left: (field_expression field: (_) @field)) @write
[(binary_expression) (unary_expression) (index_expression) (field_expression) (type_cast_expression)
 (assignment_expression) (compound_assignment_expr) (range_expression) (array_expression)
 (struct_expression) (await_expression)] @work

; Names that a function binds.
(let_declaration pattern: (identifier) @local)
(let_declaration pattern: (mut_pattern (identifier) @local))
(for_expression pattern: (identifier) @local)
(parameter pattern: (identifier) @local)
(closure_parameters (identifier) @local)
((tuple_pattern (identifier) @local) (#match? @local "^_?[a-z]"))
((tuple_struct_pattern (_) (identifier) @local) (#match? @local "^_?[a-z]"))
((match_pattern (identifier) @local) (#match? @local "^_?[a-z]"))
((reference_pattern (identifier) @local) (#match? @local "^_?[a-z]"))
((ref_pattern (identifier) @local) (#match? @local "^_?[a-z]"))
((mut_pattern (identifier) @local) (#match? @local "^_?[a-z]"))
((slice_pattern (identifier) @local) (#match? @local "^_?[a-z]"))
((captured_pattern . (identifier) @local) (#match? @local "^_?[a-z]"))
(field_pattern name: (shorthand_field_identifier) @local)
(field_pattern pattern: (identifier) @local)
(let_declaration pattern: (identifier) @name type: (_) @type) @hint

; What else stands in a file.
(const_item name: (identifier) @name) @item.constant
(static_item name: (identifier) @name) @item.constant
(struct_item name: (type_identifier) @name) @item.type
(enum_item name: (type_identifier) @name) @item.type
(union_item name: (type_identifier) @name) @item.type
(type_item name: (type_identifier) @name) @item.type
(macro_definition name: (identifier) @name) @item.macro
(use_declaration argument: (_) @target) @item.import
(source_file (macro_invocation macro: (_) @name) @item.invocation)
(source_file (expression_statement (macro_invocation macro: (_) @name) @item.invocation))
