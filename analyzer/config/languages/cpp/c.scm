; C, and what C++ has of it → the model. What each capture means stands in analyzer/src/syntax/tree_sitter/captures.rs.

; Functions. A declarator stands inside those of pointers and parentheses.
(function_definition
  declarator: (function_declarator declarator: (identifier) @name) @public
  body: (compound_statement) @body) @function
(function_definition
  declarator: [
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)))
    (function_declarator declarator: (parenthesized_declarator (identifier) @name))
    (parenthesized_declarator (function_declarator declarator: (_) @name))
    (attributed_declarator (function_declarator declarator: (_) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator
      declarator: (function_declarator declarator: (_) @name))))
  ] @public
  body: (compound_statement) @body) @function

; Who calls a function may work with what it gives back.
((function_definition type: (_) @returns) @returning (#not-eq? @returns "void"))
(function_definition type: (_) @returns declarator: (pointer_declarator)) @returning

(parameter_declaration type: (_) @type declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (identifier) @name)
]) @parameter

; A declaration without a body says nothing of what runs, unless it tells the compiler more than a type.
(declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator)))
]) @prototype
; `T x(A);` may define a value.
(parameter_declaration type: (type_identifier) !declarator) @instruction
[(attribute_specifier) (attribute_declaration) (ms_declspec_modifier) (gnu_asm_expression)] @instruction

; A build that comes to one ends there.
((preproc_call) @refusal (#match? @refusal "^#[ \t]*error"))

; Conditions of the preprocessor decide what is compiled.
(preproc_if condition: (_) @head @condition) @guard @conditional
(preproc_if alternative: (_) @after)
(preproc_ifdef name: (_) @head @condition) @guard @conditional
(preproc_ifdef alternative: (_) @after)
(preproc_elif condition: (_) @head @condition) @guard @conditional
(preproc_elif alternative: (_) @after)
(preproc_else) @guard @conditional
(preproc_elifdef name: (_) @head @condition) @guard @conditional
(preproc_elifdef alternative: (_) @after)
(linkage_specification value: (_) @comment) @group
(declaration_list) @group

; Blocks.
(for_statement initializer: (_) @head)
(for_statement condition: (_) @head)
(for_statement update: (_) @head)
(for_statement) @loop
(while_statement condition: (_) @head) @loop
(do_statement condition: (_) @head) @loop
(if_statement condition: (_) @head) @conditional
(if_statement alternative: (_) @after)
(else_clause) @conditional
(conditional_expression condition: (_) @head alternative: (_) @after @conditional @compute) @conditional
(conditional_expression consequence: (_) @compute)
(binary_expression operator: ["&&" "||"] right: (_) @lazy)
(switch_statement condition: (_) @compute)
(case_statement) @arm
(case_statement value: (_) @head @pattern)

; Calls.
(call_expression function: (identifier) @name arguments: (argument_list) @arguments) @call
(call_expression function: (field_expression argument: (_) @receiver field: (_) @name)
  arguments: (argument_list) @arguments) @call
(call_expression function: [(call_expression) (subscript_expression) (parenthesized_expression) (pointer_expression)] @value
  arguments: (argument_list) @arguments) @call

; Operations.
(expression_statement) @compute
(return_statement) @jump
(break_statement) @jump
(continue_statement) @jump
(goto_statement) @jump
(assignment_expression left: (field_expression field: (_) @field)) @write
[(binary_expression) (unary_expression) (update_expression) (assignment_expression) (subscript_expression)
 (field_expression) (pointer_expression) (initializer_list) (compound_literal_expression) (gnu_asm_expression)] @work

; Names that a function binds.
(init_declarator declarator: (identifier) @local)
(init_declarator declarator: (pointer_declarator declarator: (identifier) @local))
(init_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local)))
(init_declarator declarator: (array_declarator declarator: (identifier) @local))
(declaration declarator: (identifier) @local)
(declaration declarator: (pointer_declarator declarator: (identifier) @local))
(declaration declarator: (array_declarator declarator: (identifier) @local))
(declaration type: (_) @type declarator: (init_declarator declarator: (identifier) @name)) @hint
(declaration type: (_) @type declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @hint
(declaration type: (_) @type declarator: (identifier) @name) @hint

; What else stands in a file. Inside a function a declaration is an operation.
(declaration) @item.constant @compute
(declaration declarator: (init_declarator declarator: (identifier) @name)) @item.constant
(declaration declarator: (init_declarator declarator: (_ declarator: (identifier) @name))) @item.constant
(declaration declarator: (init_declarator declarator: (_ declarator: (_ declarator: (identifier) @name)))) @item.constant
(declaration declarator: (identifier) @name) @item.constant
(declaration declarator: (_ declarator: (identifier) @name)) @item.constant
(declaration declarator: (_ declarator: (_ declarator: (identifier) @name))) @item.constant
(struct_specifier name: (_) @name body: (_)) @scope @item.type
(union_specifier name: (_) @name body: (_)) @scope @item.type
(enum_specifier name: (_) @name body: (_)) @item.type
(enum_specifier body: (_)) @item.type
(type_definition declarator: (type_identifier) @name) @item.type
(type_definition declarator: (_ declarator: (type_identifier) @name)) @item.type
(type_definition) @item.type
(preproc_def name: (_) @name) @item.macro
(preproc_function_def name: (_) @name) @item.macro

; An array that a function fills when it comes to it; a static one is there before.
((declaration declarator: (init_declarator declarator: (array_declarator size: (_) @arguments) value: (initializer_list)) @filled)
  @compute (#not-match? @compute "^(static|constexpr|const static|extern)"))
