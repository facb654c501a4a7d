void order(Rows &rows) {
    std::sort(rows.begin(), rows.end(), [](int a, int b) { return key(a) < key(b); });
}
