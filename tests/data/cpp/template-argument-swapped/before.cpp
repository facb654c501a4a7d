template <int N> int fill(int x) { return N * x; }
int run(int x) { return fill<4>(x); }
