static __attribute__((constructor)) void work(void) { prepare(); }

long run(long x) { return x + 1; }
