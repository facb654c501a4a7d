static unsigned added(unsigned a, unsigned b) { return a + b; }
