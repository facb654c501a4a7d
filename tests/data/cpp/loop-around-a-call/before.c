void draw(struct row *row) {
    show(row);
}
