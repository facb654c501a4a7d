static long run(long x) { return x * x; }
