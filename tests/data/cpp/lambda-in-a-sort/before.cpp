void order(Rows &rows) {
    std::sort(rows.begin(), rows.end(), [](int a, int b) { return a < b; });
}
