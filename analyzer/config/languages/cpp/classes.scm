; What C++ has beyond C.

(function_definition
  declarator: (function_declarator declarator: [
    (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @name) @public
  body: (compound_statement) @body) @function
(function_definition
  declarator: (reference_declarator (function_declarator declarator: (_) @name)) @public
  body: (compound_statement) @body) @function
(function_definition declarator: (operator_cast) @name @public body: (compound_statement) @body) @function
(function_definition
  declarator: (qualified_identifier name: (operator_cast)) @name @public
  body: (compound_statement) @body) @function
(function_definition type: (_) @returns declarator: (reference_declarator)) @returning
(function_definition declarator: (operator_cast type: (_) @returns)) @returning
(function_definition declarator: (qualified_identifier name: (operator_cast type: (_) @returns))) @returning
((type_qualifier) @precomputed (#match? @precomputed "^const(expr|eval)$"))
; A constructor's initializers run before its body.
(function_definition (field_initializer_list) @head)
(field_initializer) @compute
(field_initializer . (field_identifier) @field) @write

(namespace_definition name: (_) @name) @scope
(namespace_definition !name) @scope
; Decides what a name means that several namespaces have.
(namespace_definition "inline" @item.attribute)
(class_specifier name: (_) @name body: (_)) @scope @item.type
(alias_declaration name: (_) @name) @item.type
(template_declaration) @group
(template_parameter_list) @attribute
(requires_clause) @attribute
(static_assert_declaration) @comment

(parameter_declaration type: (_) @type declarator: (reference_declarator (identifier) @name)) @parameter
(optional_parameter_declaration type: (_) @type declarator: (identifier) @name) @parameter
(optional_parameter_declaration type: (_) @type declarator: (_ (identifier) @name)) @parameter
(variadic_parameter_declaration declarator: (variadic_declarator (identifier) @name)) @parameter
(variadic_parameter_declaration declarator: (reference_declarator (variadic_declarator (identifier) @name))) @parameter

(declaration declarator: (reference_declarator (function_declarator))) @prototype
(field_declaration declarator: [
  (function_declarator declarator: (field_identifier))
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier)))
  (reference_declarator (function_declarator declarator: (field_identifier)))
]) @prototype
[(optional_parameter_declaration) (virtual_specifier) "virtual" (requires_clause) (decltype)] @instruction
(field_declaration default_value: (_) @instruction)

(for_range_loop declarator: (_) @head right: (_) @head) @loop
(catch_clause) @arm
(catch_clause parameters: (_) @head @pattern)
(lambda_expression) @closure
(lambda_expression captures: (_) @head @pattern)
(throw_statement) @try
(co_return_statement) @jump
(co_yield_statement) @jump
[(delete_expression) (co_await_expression) (fold_expression)] @work

(call_expression function: [(qualified_identifier) (template_function)] @name arguments: (argument_list) @arguments) @call
(call_expression function: (lambda_expression) @value arguments: (argument_list) @arguments) @call
(new_expression type: (_) @name arguments: (argument_list) @arguments) @call
(new_expression type: (_) @name !arguments) @call

(init_declarator declarator: (reference_declarator (identifier) @local))
(structured_binding_declarator (identifier) @local)
(for_range_loop declarator: (identifier) @local)
(for_range_loop declarator: (reference_declarator (identifier) @local))
(for_range_loop declarator: (pointer_declarator (identifier) @local))
(declaration type: (_) @type declarator: (init_declarator declarator: (reference_declarator (identifier) @name))) @hint

; Values of a class that are made from others. What a call returns is not copied.
(declaration type: (_) @type declarator: (init_declarator declarator: (identifier) value: [
  (identifier) (field_expression) (subscript_expression) (pointer_expression)
]) @copied)
(declaration type: [(template_type) (qualified_identifier)] @type declarator: (init_declarator declarator: (identifier) value: [
  (argument_list) (initializer_list) (string_literal) (binary_expression)
]) @copied)
(declaration type: [(template_type) (qualified_identifier)] @type declarator: (identifier) @copied)
(for_range_loop type: (_) @type declarator: (identifier) @copied)
(parameter_declaration type: (_) @type declarator: (identifier)) @copied
; A constant one is copied where it would be moved.
((parameter_declaration (type_qualifier) @constant) (#eq? @constant "const"))
((call_expression function: (qualified_identifier) @name arguments: (argument_list . (identifier) @moved .))
  (#eq? @name "std::move"))
(function_definition type: [(template_type) (qualified_identifier)] @type declarator: (function_declarator)) @copied
