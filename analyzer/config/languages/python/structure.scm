; Python → the model. What each capture means stands in analyzer/src/syntax/tree_sitter/captures.rs.

; Functions, classes.
(function_definition
  name: (identifier) @name
  return_type: (type)? @returns
  body: (block) @body) @function
(class_definition name: (identifier) @name) @scope @item.type

(parameters (identifier) @parameter @name)
(parameters (typed_parameter . (identifier) @name type: (type) @type) @parameter)
(parameters (default_parameter name: (identifier) @name) @parameter)
(parameters (typed_default_parameter name: (identifier) @name type: (type) @type) @parameter)
(parameters (list_splat_pattern (identifier) @name) @parameter)
(parameters (dictionary_splat_pattern (identifier) @name) @parameter)

(decorator (_) @attribute)

; Documentation is a comment.
(module . (expression_statement (string)) @comment)
(function_definition body: (block . (expression_statement (string)) @comment))
(class_definition body: (block . (expression_statement (string)) @comment))

; Layout is syntax: where a block or statement ends.
(block) @layout
(expression_statement) @layout
(return_statement) @layout
(string_content) @token

; A text is the same in other quotation marks.
[(string_start) (string_end)] @quote

; Parentheses around a whole value change nothing.
(return_statement (parenthesized_expression "(" @comment ")" @comment))
(assignment right: (parenthesized_expression "(" @comment ")" @comment))
(augmented_assignment right: (parenthesized_expression "(" @comment ")" @comment))
(keyword_argument value: (parenthesized_expression "(" @comment ")" @comment))
(for_statement right: (parenthesized_expression "(" @comment ")" @comment))
(if_statement condition: (parenthesized_expression "(" @comment ")" @comment))
(elif_clause condition: (parenthesized_expression "(" @comment ")" @comment))
(while_statement condition: (parenthesized_expression "(" @comment ")" @comment))

; In a function, nobody evaluates the type that is stated of a variable. What a module states is compared where it is loaded.
(module (expression_statement (assignment ":" @comment type: (type) @comment right: (_))))
(function_definition body: (block
  (expression_statement (assignment ":" @comment type: (type) @comment right: (_)))))
(function_definition body: (block
  [(if_statement (block (expression_statement (assignment ":" @comment type: (type) @comment right: (_)))))
   (for_statement (block (expression_statement (assignment ":" @comment type: (type) @comment right: (_)))))
   (while_statement (block (expression_statement (assignment ":" @comment type: (type) @comment right: (_)))))
   (with_statement (block (expression_statement (assignment ":" @comment type: (type) @comment right: (_)))))
   (try_statement (block (expression_statement (assignment ":" @comment type: (type) @comment right: (_)))))]))

; Blocks. A round of a loop over elements takes the next one and binds it, in several steps of the interpreter.
(for_statement left: (_) @head right: (_) @head) @loop @step
(for_statement alternative: (_) @after)
(while_statement condition: (_) @head) @loop
(while_statement alternative: (_) @after)
(if_statement condition: (_) @head) @conditional
(if_statement alternative: (_) @after)
(elif_clause condition: (_) @head) @conditional
(else_clause) @conditional
(conditional_expression . (_) @compute . (_) @head . (_) @after @conditional @compute) @conditional
(boolean_operator right: (_) @lazy) @work
(list_comprehension body: (_) @compute) @loop @step
(set_comprehension body: (_) @compute) @loop @step
(generator_expression body: (_) @compute) @loop @step
(dictionary_comprehension body: (_) @compute) @loop @step
(list_comprehension [(for_in_clause) (if_clause)] @head)
(set_comprehension [(for_in_clause) (if_clause)] @head)
(generator_expression [(for_in_clause) (if_clause)] @head)
(dictionary_comprehension [(for_in_clause) (if_clause)] @head)
(except_clause) @arm
(except_clause value: (_) @head)
(case_clause) @arm
(case_clause (case_pattern) @head @pattern)
(case_clause guard: (_) @head)
(lambda body: (_) @compute) @closure
(lambda parameters: (_) @head @pattern)

; Calls.
(call function: (identifier) @name arguments: (_) @arguments) @call
(call function: (attribute object: (_) @receiver attribute: (identifier) @name) arguments: (_) @arguments) @call
(call function: [(call) (subscript) (parenthesized_expression) (lambda)] @value arguments: (_) @arguments) @call

; In a function, an import, a definition and a decorator are executed where they stand. Defaults and stated types are evaluated with the
; definition.
[(import_statement) (import_from_statement)] @compute @made
[(function_definition) (class_definition) (decorator)] @made
(decorator) @compute
(parameters (default_parameter value: (_) @evaluated))
(parameters (typed_default_parameter value: (_) @evaluated))
(typed_parameter type: (_) @evaluated.type)
(typed_default_parameter type: (_) @evaluated.type)
(function_definition return_type: (_) @evaluated.type)
(parameters (_ type: (type [(generic_type) (subscript) (binary_operator)] @made)))
(function_definition return_type: (type [(generic_type) (subscript) (binary_operator)] @made))

; Operations.
(expression_statement) @compute
(assert_statement) @compute
(delete_statement) @compute
(with_item value: (_) @compute)
(match_statement subject: (_) @compute)
(return_statement) @jump
(break_statement) @jump
(continue_statement) @jump
(yield) @jump
(raise_statement) @try
(assignment left: (attribute attribute: (identifier) @field)) @write
(augmented_assignment left: (attribute attribute: (identifier) @field)) @write
[(binary_operator) (comparison_operator) (not_operator) (unary_operator) (subscript) (slice) (attribute)
 (assignment) (augmented_assignment) (named_expression) (list) (dictionary) (set) (await)] @work

; Names that a function binds.
(assignment left: (identifier) @local)
(augmented_assignment left: (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(pattern_list (identifier) @local)
(tuple_pattern (identifier) @local)
(list_pattern (identifier) @local)
(list_splat_pattern (identifier) @local)
(splat_pattern (identifier) @local)
(named_expression name: (identifier) @local)
(as_pattern_target (identifier) @local)
(lambda_parameters (identifier) @local)
(lambda_parameters (default_parameter name: (identifier) @local))
(case_pattern (dotted_name . (identifier) @local .))
[(global_statement (identifier) @outer) (nonlocal_statement (identifier) @outer)]
(assignment left: (identifier) @name type: (type) @type) @hint
(assignment left: (identifier) @name right: (call function: (identifier) @constructor)) @hint

; What else stands in a file.
(module (expression_statement (assignment left: (identifier) @name) @item.constant))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @item.constant)))
(import_statement name: (dotted_name) @item.import @target)
(import_statement name: (aliased_import name: (dotted_name) @target alias: (identifier) @name) @item.import)
(import_from_statement module_name: (_) @path name: (dotted_name) @item.import @target)
(import_from_statement module_name: (_) @path name: (aliased_import name: (dotted_name) @target alias: (identifier) @name) @item.import)
(import_from_statement module_name: (_) @path (wildcard_import) @item.import @target)
