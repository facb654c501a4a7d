int before(void) { return 1; }
int broken( { return ]; }
int after(void) { return 2; }
