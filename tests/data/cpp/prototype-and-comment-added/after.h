#ifndef SUM_H
#define SUM_H
/* Twice as much. */
static inline int twice(int x) { return 2 * x; }
int sum(const int *of, int count);
#endif
