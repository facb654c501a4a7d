int sum(const int *of, int count) __attribute__((noinline));
