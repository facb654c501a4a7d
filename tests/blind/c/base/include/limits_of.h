#ifndef LIMITS_OF_H
#define LIMITS_OF_H

#define ROUNDS 20
#define HUNDREDS 100
#define STEP(sum, n) ((sum) + (n))
#define UNUSED_LIMIT 7
#define USE_TABLE 1

enum shape { CIRCLE, SQUARE, SIDES = 24 };

typedef unsigned int number;
typedef short unused_number;

struct record {
    unsigned key;
    char text[16];
};

static inline unsigned mixed(unsigned n) { return n ^ (n >> 3); }

static inline unsigned unused_mix(unsigned n) { return n; }

#endif
