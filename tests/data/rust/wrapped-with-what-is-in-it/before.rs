pub fn collect(rows: &[Row], out: &mut Vec<Row>, fast: bool) {
    prepare(out);
    for row in filtered(rows) {
        if matches(row) {
            let copy = convert(row);
            out.push(copy);
        }
        count(row);
    }
    finish(out);
}
