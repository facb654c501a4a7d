void keep(std::vector<std::string> &names, std::string name) {
    names.push_back(std::move(name));
}
