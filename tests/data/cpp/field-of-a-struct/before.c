struct row { int size; long value; };
long value(struct row *row) { return row->value; }
