pub fn f(rows: &[Row], ready: bool, out: &mut Vec<Row>) {
    if ready {
        if open(out) {
            for row in rows {
                let copy = convert(row);
                if fits(row) {
                    check(row, out);
                    settle(row, 3);
                }
                out.push(copy);
            }
        }
    }
}
