#ifndef SUM_H
#define SUM_H
int sum(const int *of);
#endif
static const int base = 3;
