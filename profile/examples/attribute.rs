//! dev: attribute CALLGRIND BINARY ROOT
#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used)]
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = profile::format::callgrind::read(std::io::BufReader::new(
        std::fs::File::open(&a[1]).unwrap(),
    ))
    .unwrap();
    let b = std::fs::read(&a[2]).unwrap();
    let roots = profile::attribution::Roots::of_project(&a[3]);
    let p = profile::attribution::attribute(
        &t,
        &profile::attribution::Attribution {
            benchmark: "count",
            program: &a[2],
            binary: &b,
            build: if a[2].contains("truth") {
                profile::attribution::Build::Counting
            } else {
                profile::attribution::Build::Optimised
            },
            roots: &roots,
        },
    )
    .unwrap();
    println!("T\t{}", p.total);
    for f in &p.functions {
        println!(
            "F\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            f.name,
            f.file.map_or("", |x| p.file(x)),
            f.line,
            f.calls,
            f.inlined_calls,
            f.inclusive,
            f.self_cost,
            f.estimated as u8
        );
    }
    for l in &p.lines {
        println!(
            "L\t{}\t{}\t{}\t{}\t{}",
            p.file(l.file),
            l.line,
            l.executions,
            l.self_cost,
            l.estimated as u8
        );
    }
}
