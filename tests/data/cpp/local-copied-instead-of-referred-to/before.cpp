long weigh(const Shop &shop) {
    const std::vector<long> &prices = shop.prices;
    std::size_t count = shop.count;
    return sum(prices, count);
}
