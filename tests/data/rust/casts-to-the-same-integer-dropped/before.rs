pub struct Place {
    line: u32,
}
pub fn place(lines: &[u32], at: usize, line: u32) -> Place {
    let first: u32 = lines[at as usize] as u32;
    let mut sum = first + line as u32;
    sum += mix(line as u32);
    Place { line: sum as u32 }
}
fn mix(line: u32) -> u32 {
    if line > 3 {
        return line.rotate_left(3) as u32;
    }
    line.rotate_left(5) as u32
}
