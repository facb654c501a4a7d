pub fn collect(rows: &[Row], out: &mut Vec<Row>, fast: bool) {
    prepare(out);
    if fast {
        for row in filtered(rows) {
            if matches(row) {
                let copy = convert(row);
                check(&copy);
                out.push(copy);
            }
            count(row);
        }
    }
    finish(out);
}
