void draw(struct row *row) {
    for (int i = 0; i < row->count; i++)
        show(row);
}
