fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (x, y) = (std::fs::read(&a[1]).unwrap(), std::fs::read(&a[2]).unwrap());
    let t = std::time::Instant::now();
    let (b, h) = (profile::code::read(&x), profile::code::read(&y));
    let (b, h) = match (b, h) {
        (Ok(b), Ok(h)) => (b, h),
        e => {
            println!("unknown {:?}", (e.0.err(), e.1.err()));
            return;
        }
    };
    println!("read {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let show = |s: profile::code::Sameness| match s {
        profile::code::Sameness::Different { functions } => {
            println!("Different {}", functions.len());
            for f in functions.iter().take(8) {
                println!("   {f}");
            }
        }
        s => println!("{s:?}"),
    };
    show(profile::code::compare(
        &b,
        &h,
        profile::code::Scope::Program,
    ));
    println!("program {:?}", t.elapsed());
    let t = std::time::Instant::now();
    if let Some(r) = a.get(3) {
        let roots = [r.clone()].into();
        show(profile::code::compare(
            &b,
            &h,
            profile::code::Scope::From(&roots),
        ));
        println!("from {:?}", t.elapsed());
        let t = std::time::Instant::now();
        let changed = profile::code::changed(&b, &h);
        println!(
            "changed {} {:?} {:?}",
            changed.len(),
            changed.iter().take(8).collect::<Vec<_>>(),
            t.elapsed()
        );
        let none = Default::default();
        println!(
            "{}",
            profile::code::reach(
                &h,
                profile::code::Question {
                    roots: &roots,
                    executed: &none,
                    changed: &changed
                }
            )
        );
    }
}
