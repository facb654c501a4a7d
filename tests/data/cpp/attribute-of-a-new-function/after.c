static __attribute__((noinline, __cold__)) long work(long x) { return x * x; }

long run(long x) { return work(x) + 1; }
