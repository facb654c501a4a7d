std::size_t length(const std::string name) {
    return name.size();
}
