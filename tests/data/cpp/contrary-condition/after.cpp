long sum(const std::vector<long> &xs) {
    long sum = 0;
    for (long x : xs) {
        if (seen(x)) {
            sum += dear(x);
        }
        if (x != 4) {
            sum += dear(x + 1);
        }
    }
    return sum;
}
