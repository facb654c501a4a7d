static unsigned added(unsigned a, unsigned b) {
    for (; b > 0; b--) {
        __asm__ volatile("" : "+r"(a));
        a++;
    }
    return a;
}
