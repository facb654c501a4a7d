pub struct Place {
    line: u32,
}
pub fn place(lines: &[u32], at: usize, line: u32) -> Place {
    let first: u32 = lines[at];
    let mut sum = first + line;
    sum += mix(line);
    Place { line: sum }
}
fn mix(line: u32) -> u32 {
    if line > 3 {
        return line.rotate_left(3);
    }
    line.rotate_left(5)
}
