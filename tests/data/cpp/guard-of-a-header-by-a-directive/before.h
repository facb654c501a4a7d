// Sums.
#ifndef SUM_H
#define SUM_H
int sum(const int *of);
static const int base = 3;
#endif // SUM_H
