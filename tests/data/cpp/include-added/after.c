#include <a.h>
#include <b.h>
int f(int x) { return x; }
