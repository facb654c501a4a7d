int pick(int at) {
    static const int table[] = { 1, 2, 3 };
    int found = table[at];
    return found * found;
}
