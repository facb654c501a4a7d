#include <string.h>

#include "sums.h"

static unsigned size;

static unsigned t_sized(void) {
    volatile unsigned sum = 0;
    for (unsigned n = 0; n < size; n++)
        sum += n;
    return sum;
}

static const struct {
    const char *name;
    unsigned (*run)(void);
} BENCHMARKS[] = {
    {"macro_value", t_macro_value}, {"macro_body", t_macro_body}, {"enum_value", t_enum_value},
    {"typedef", t_typedef},         {"struct", t_struct},         {"inline", t_inline},
    {"condition", t_condition},     {"include", t_include},       {"dispatch", t_dispatch},
    {"initial", t_initial},         {"array", t_array},           {"volatile", t_volatile},
    {"weak", t_weak},               {"file", t_file},             {"generated", t_generated},
    {"flags", t_flags},             {"sized", t_sized},           {"folded", t_folded},
};

__attribute__((noinline, noclone)) unsigned subject(unsigned (*run)(void)) { return run(); }

int main(int count, char **arguments) {
    size = input_size();
    for (unsigned i = 0; i < sizeof BENCHMARKS / sizeof *BENCHMARKS; i++)
        if (count > 1 && strcmp(BENCHMARKS[i].name, arguments[1]) == 0)
            return subject(BENCHMARKS[i].run) == 1;
    return 1;
}
