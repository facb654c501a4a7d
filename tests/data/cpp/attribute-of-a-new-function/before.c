long run(long x) { return x + 1; }
