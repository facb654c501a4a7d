long run(const char *text, long size) {
    while (size > 0) {
        second(text, size);
        size--;
    }
    return size;
}
