pub fn f(rows: &[Row], ready: bool, out: &mut Vec<Row>) {
    if ready {
        for row in rows {
            let copy = convert(row);
            out.push(copy);
        }
    }
}
