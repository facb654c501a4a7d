long run(const char *text, long size) {
    while (size > 0) {
        if (text[size] != 'a' && fast(text))
            second(text, size);
        size--;
    }
    return size;
}
