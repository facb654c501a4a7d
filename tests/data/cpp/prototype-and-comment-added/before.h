#ifndef SUM_H
#define SUM_H
static inline int twice(int x) { return 2 * x; }
#endif
