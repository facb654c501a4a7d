//! Time to compare two large trees: matched and merged into a blueprint (50,000 contexts a side), joined into flame
//! graphs (200,000 a side). Absolute times depend on the machine, so each is also printed as a multiple of the time to
//! decode one of the trees from its cache file in the same run.
//!
//! One in twenty contexts of the second tree is inserted, one is removed, one costs more. A second pair of trees is the
//! worst case of matching.
#![allow(missing_docs, clippy::print_stdout)]
// a benchmark times its own process
#![allow(clippy::disallowed_types)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use profile::call_tree::{
    BuilderContextId, CallCount, CallTree, CallTreeBuilder, CallTreeFunction, CostNoise, DifferentialFlameGraph,
    EvolutionBlueprint, FunctionRenames, SharedFunctions, binary, hot_leaves, match_trees, prune,
};

/// Number of runs; the fastest counts for the printed ratios.
const RUNS: usize = 25;

/// Number of different functions: in real trees, a function has some dozens of contexts.
const FUNCTIONS: u64 = 2000;

/// The low bits of a multiplicative generator: the same trees in every run.
struct BenchRandom(u64);

impl BenchRandom {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Both sides of a change. Half of the contexts hang below the newest ones, so that some paths are deep.
fn versions(size: usize) -> [CallTree; 2] {
    let mut dice = BenchRandom(1);
    let mut builders = [0, 1].map(|_| CallTreeBuilder::new(CallTreeFunction::named("main")));
    let roots = [0, 1].map(|side| builders[side].root());
    let mut contexts: Vec<[BuilderContextId; 2]> = vec![roots];
    while contexts.len() < size {
        let near = contexts.len() as u64;
        let back = if dice.below(2) == 0 { near.min(40) } else { near };
        let parents = contexts[contexts.len() - 1 - usize::try_from(dice.below(back)).expect("small")];
        let name = format!("module_{}::Type::function", dice.below(FUNCTIONS));
        let cost = dice.below(1000);
        let fate = dice.below(20);
        let mut entered = parents;
        for side in [0, 1] {
            let builder = &mut builders[side];
            let mut parent = parents[side];
            if (fate, side) == (0, 1) || (fate, side) == (1, 0) {
                let inserted = builder.declare_named(&format!("module_{}::wrapper", dice.below(50)));
                parent = builder.enter(parent, inserted);
            }
            let function = builder.declare_named(&name);
            entered[side] = builder.enter(parent, function);
            let more = if (fate, side) == (2, 1) { cost } else { 0 };
            builder.add_self(entered[side], cost + more);
            let calls = CallCount {
                count: 1 + cost / 7 + more,
                estimated: false,
            };
            builder.add_calls(entered[side], calls);
        }
        contexts.push(entered);
    }
    builders.map(CallTreeBuilder::finish)
}

/// Worst case of matching: between two matches, as many calls were removed as there are matches, and everything else
/// below the first match is searched as deep.
fn chains(size: usize) -> [CallTree; 2] {
    let between = size.isqrt();
    [false, true].map(|is_after| {
        let mut builder = CallTreeBuilder::new(CallTreeFunction::named("main"));
        let [step, removed] = ["step", "removed"].map(|name| builder.declare_named(name));
        let mut context = builder.root();
        while builder.contexts() < size {
            for at in 0..between {
                if is_after {
                    let leaf = builder.declare_named(&format!("leaf_{at}"));
                    builder.enter(context, leaf);
                } else {
                    context = builder.enter(context, removed);
                }
            }
            context = builder.enter(context, step);
            builder.add_self(context, 1);
        }
        builder.finish()
    })
}

fn blueprint([before, after]: &[CallTree; 2]) -> usize {
    let evolution = EvolutionBlueprint::of(before, after, &FunctionRenames::new(), CostNoise::Counted);
    hot_leaves(&evolution)[0]
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Measures both in alternation, so that other load on the machine slows down both.
fn report(what: &str, trees: &[CallTree; 2], mut run: impl FnMut()) {
    let cached = binary::encode(&trees[1]);
    let (mut taken, mut decoding) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        taken = taken.min(time(&mut run));
        decoding = decoding.min(time(|| {
            black_box(binary::decode(&cached).expect("it was encoded here"));
        }));
    }
    println!(
        "{what}: {} and {} contexts, {} KB cached; {:.1} ms, {:.1} times decoding one of them ({:.1} ms)",
        trees[0].nodes.len(),
        trees[1].nodes.len(),
        cached.len() / 1000,
        taken.as_secs_f64() * 1e3,
        taken.as_secs_f64() / decoding.as_secs_f64(),
        decoding.as_secs_f64() * 1e3,
    );
}

fn compare(criterion: &mut Criterion) {
    let (usual, chains, large) = (versions(50_000), chains(50_000), versions(200_000));
    let evolution = EvolutionBlueprint::of(&large[0], &large[1], &FunctionRenames::new(), CostNoise::Sampled);
    let flames = || DifferentialFlameGraph::of(&large[0], &large[1], &evolution);
    report("matching alone", &usual, || {
        let [before, after] = &usual;
        let functions = SharedFunctions::of(before, after, &FunctionRenames::new());
        black_box(match_trees(before, after, &functions));
    });
    report("blueprint", &usual, || {
        black_box(blueprint(&usual));
    });
    report("blueprint of chains", &chains, || {
        black_box(blueprint(&chains));
    });
    report("blueprint", &large, || {
        black_box(blueprint(&large));
    });
    report("flames", &large, || {
        black_box(flames());
    });
    report("pruning", &large, || {
        black_box(prune(&large[0], &large[1], &FunctionRenames::new(), 0.001));
    });
    let mut group = criterion.benchmark_group("tree");
    group.sample_size(10);
    group.bench_function("blueprint of 50,000", |bencher| {
        bencher.iter(|| blueprint(&usual));
    });
    group.bench_function("flames of 200,000", |bencher| {
        bencher.iter(flames);
    });
    group.finish();
}

criterion_group!(benches, compare);
criterion_main!(benches);
