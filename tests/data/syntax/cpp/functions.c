#include <stdio.h>
#include "sum.h"

#define STEP 2
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

typedef struct { int size; char *name; } table;
struct node { struct node *next; long value; };
enum colour { RED, GREEN = 3 };

static const int primes[] = { 2, 3, 5 };
extern int debug;
int twice(int x);
void *fast(void) __attribute__((hot));

static inline int square(int x) { return x * x; }

__attribute__((noinline)) char *find(const char *text, unsigned size, int (*compare)(int, int)) {
    const char *end = text + size, *at;
    for (at = text; at < end; at++)
        if (*at == '=' && compare(*at, debug))
            return (char *) at;
    return NULL;
}

/* Comments say nothing. */
static void fill(struct node *first, long value)
{
    struct node *node = first;
    while (node != NULL) {
        node->value = LARGER(value, node->value);
        node = node->next;
    }
    do { value--; } while (value > 0);
    first->next->free(first);
}

int (*choose(int kind))(int, int) { return kind ? square : twice; }

int old(a, b)
    int a, b;
{
    return a + b;
}
