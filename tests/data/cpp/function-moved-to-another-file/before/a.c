long sum(const int *of, int count) {
    long total = 0;
    for (int i = 0; i < count; i++) total += square(of[i]);
    return total;
}
int f(void) { return 1; }
