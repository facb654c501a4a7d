//! Options for several functions, whose names begin alike.

use super::*;
use crate::benchmark::ClockedEnd;

/// Functions whose addresses are not in the order of their names.
const SOURCE: &str = r#"
#[inline(never)]
fn work(n: u64) -> u64 {
    (0..std::hint::black_box(n)).map(|i| i ^ 5).sum()
}

#[unsafe(no_mangle)] #[inline(never)] pub fn bench23(n: u64) -> u64 { work(n) + clock() }
#[unsafe(no_mangle)] #[inline(never)] pub fn bench(n: u64) -> u64 { work(n) + clock() + 1 }
#[unsafe(no_mangle)] #[inline(never)] pub fn bench24(n: u64) -> u64 { work(n) + clock() + 2 }
#[unsafe(no_mangle)] #[inline(never)] pub fn bench2(n: u64) -> u64 { work(n) + clock() + 3 }

fn clock() -> u64 {
    let now = std::time::Instant::now();
    u64::from(now.elapsed().as_nanos() > 0)
}

fn main() {
    let name = std::env::args().nth(1).unwrap();
    let sum = match &*name {
        "bench" => bench(900),
        "bench2" => bench2(900),
        "bench23" => bench23(900),
        _ => bench24(900),
    };
    assert!(sum > 0);
}
"#;

#[test]
fn each_of_several_functions_is_collected_whatever_their_names_begin_with() {
    let programs = TestPrograms::new(SOURCE);
    let program = programs.build(TestBuild::Optimised);
    let within = vec!["bench*".to_owned()];
    let subjects = [
        BenchmarkSubject::Pattern("bench*".to_owned()),
        BenchmarkSubject::Clocked {
            within: within.clone(),
            depth: 0,
        },
        BenchmarkSubject::FirstClocked {
            within,
            until: ClockedEnd::LastOfCall,
        },
    ];
    for subject in subjects {
        for name in ["bench", "bench2", "bench23", "bench24"] {
            let mut asked = OwnedProfilerRequest::new(&programs, program.clone(), "");
            asked.subject = subject.clone();
            asked.arguments = vec![name.into()];
            let profile =
                profile(&programs.request(&asked)).unwrap_or_else(|error| panic!("{subject} {name}: {error}"));
            assert!(profile.total > 0, "{subject} {name}");
        }
    }
}
