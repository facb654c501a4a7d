int first(std::string text) {
    return text.empty() ? 0 : text[0];
}
