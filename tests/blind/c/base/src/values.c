#include <string.h>

#include "limits_of.h"
#include "sums.h"

unsigned t_macro_value(void) {
    volatile unsigned sum = 0;
    for (unsigned round = 0; round < ROUNDS * 1000; round++)
        sum += round;
    return sum;
}

unsigned t_macro_body(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 20000; n++) {
        sum = STEP(sum, n);
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

unsigned t_enum_value(void) {
    volatile unsigned sum = 0;
    for (unsigned n = 0; n < SIDES * 1000; n++)
        sum += n;
    return sum;
}

unsigned t_typedef(void) {
    number sum = 1;
    for (unsigned n = 1; n < 20000; n++) {
        sum = sum * 7 / n + n;
        __asm__ volatile("" : : "r"(&sum) : "memory");
    }
    return (unsigned)sum;
}

unsigned t_struct(void) {
    struct record one, other;
    memset(&one, 1, sizeof one);
    for (unsigned n = 0; n < 4000; n++) {
        one.key = n;
        __asm__ volatile("" : : "r"(&one) : "memory");
        memcpy(&other, &one, sizeof one);
        __asm__ volatile("" : : "r"(&other) : "memory");
    }
    return other.key;
}

unsigned t_inline(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 20000; n++) {
        sum = mixed(sum + n);
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

static const char TEXT[] = "a line of words, and of the spaces between them";

static int is_space(char letter) { return letter == ' '; }

unsigned t_folded(void) {
    volatile unsigned spaces = 0;
    for (unsigned round = 0; round < 400; round++)
        for (const char *at = TEXT; *at; at++)
            if (is_space(*at))
                spaces++;
    return spaces;
}

#if USE_TABLE
static unsigned weight(unsigned n) { return n & 1; }
#else
static unsigned weight(unsigned n) {
    unsigned bits = 0;
    for (; n; n >>= 1)
        bits += n & 1;
    return bits;
}
#endif

unsigned t_condition(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 20000; n++) {
        sum += weight(n);
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

unsigned unused_function(unsigned n) { return n * UNUSED_LIMIT; }
