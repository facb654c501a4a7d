#ifndef SUMS_H
#define SUMS_H

unsigned t_macro_value(void);
unsigned t_macro_body(void);
unsigned t_enum_value(void);
unsigned t_typedef(void);
unsigned t_struct(void);
unsigned t_inline(void);
unsigned t_condition(void);
unsigned t_include(void);
unsigned t_dispatch(void);
unsigned t_initial(void);
unsigned t_array(void);
unsigned t_volatile(void);
unsigned t_weak(void);
unsigned t_file(void);
unsigned t_generated(void);
unsigned t_flags(void);
unsigned t_folded(void);
unsigned input_size(void);

#endif
