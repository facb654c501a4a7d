long run(const char *text, long size) {
    if (size > 9 && text[0] == 1) return count(text);
    return size;
}
