__attribute__((noinline)) static long run(long x) { return x * x; }
