int total(const std::vector<std::string> &all) {
    int sum = 0;
    for (const auto one : all) {
        sum += one.size();
    }
    return sum;
}
