long run(long x) {
#if 1
    x = fast(x);
#else
    x = slow(x);
#endif
    return x;
}
