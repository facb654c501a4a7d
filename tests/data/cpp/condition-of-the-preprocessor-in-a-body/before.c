long run(long x) {
#if FAST
    x = fast(x);
#else
    x = slow(x);
#endif
    return x;
}
