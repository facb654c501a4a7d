void keep(std::vector<std::string> &names, const std::string name) {
    names.push_back(std::move(name));
}
