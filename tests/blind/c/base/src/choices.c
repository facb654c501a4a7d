#include <stdio.h>

#include "fast.h"
#include "sums.h"

unsigned t_include(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 20000; n++) {
        sum = added(sum, n % 50);
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

static unsigned once(unsigned n) { return n + 1; }

static unsigned often(unsigned n) {
    for (int i = 0; i < 40; i++) {
        __asm__ volatile("" : "+r"(n));
        n += i;
    }
    return n;
}

typedef unsigned (*step)(unsigned);

static const step STEPS[] = {once, once, once};
static const step UNUSED_STEPS[] = {often, once};

unsigned t_dispatch(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 9000; n++)
        sum += STEPS[n % 3](n);
    return sum;
}

step unused_step(int n) { return UNUSED_STEPS[n]; }

static unsigned turns = 12000;

unsigned t_initial(void) {
    volatile unsigned sum = 0;
    for (unsigned n = 0; n < turns; n++)
        sum += n;
    return sum;
}

static const unsigned char WEIGHTS[] = {1, 2, 3, 4};

unsigned t_array(void) {
    volatile unsigned sum = 0;
    for (unsigned round = 0; round < 3000; round++)
        for (unsigned n = 0; n < sizeof WEIGHTS; n++)
            sum += WEIGHTS[n];
    return sum;
}

unsigned t_volatile(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 40000; n++)
        sum += n * n;
    return sum;
}

__attribute__((weak)) unsigned hook(unsigned n) { return n; }

unsigned t_weak(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 9000; n++)
        sum += hook(n);
    return sum;
}

unsigned t_file(void) {
    unsigned sum = 0;
    FILE *file = fopen("data/words.txt", "r");
    for (int c; file && (c = getc(file)) != EOF;)
        sum += c;
    if (file)
        fclose(file);
    return sum;
}
