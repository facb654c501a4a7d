long run(const char *text, long size) {
    while (size > 0) {
        first(text, size);
        size--;
    }
    return size;
}
