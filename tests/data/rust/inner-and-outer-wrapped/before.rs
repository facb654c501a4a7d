pub fn f(rows: &[Row], ready: bool, out: &mut Vec<Row>) {
    for row in rows {
        let copy = convert(row);
        check(row, out);
        settle(row, 3);
        out.push(copy);
    }
}
