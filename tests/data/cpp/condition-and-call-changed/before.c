long run(const char *text, long size) {
    while (size > 0) {
        if (text[size] == 'a' && fast(text))
            first(text, size);
        size--;
    }
    return size;
}
