#include "sums.h"
#include "primes.h"

unsigned t_generated(void) {
    volatile unsigned sum = 0;
    for (unsigned round = 0; round < 2000; round++)
        for (unsigned n = 0; n < sizeof PRIMES / sizeof *PRIMES; n++)
            sum += PRIMES[n];
    return sum;
}

unsigned t_flags(void) {
    volatile unsigned sum = 0;
    for (unsigned n = 0; n < 3000 * SCALE; n++)
        sum += n;
    return sum;
}
