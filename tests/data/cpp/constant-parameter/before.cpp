std::size_t length(std::string name) {
    return name.size();
}
