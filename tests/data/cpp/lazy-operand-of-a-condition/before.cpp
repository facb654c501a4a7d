void write(Text &out, double value) {
    if (value == whole(value) && size(value) < 100) {
        out.number(value);
        return;
    }
    out.decimal(value);
}
