struct row { int size; double value; };
long value(struct row *row) { return row->value; }
