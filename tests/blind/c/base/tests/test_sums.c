#include "sums.h"

int main(void) { return t_macro_value() == 1; }
