#include "limits_of.h"
#include "sums.h"

unsigned input_size(void) { return 3000 * HUNDREDS / 100; }

unsigned unused_input_size(void) { return 100; }
