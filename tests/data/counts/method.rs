//= subject Machine::run
//= sums
//= calls Machine::run 5
//= calls step 50
//= executions step 50
//= absent prepare
use std::hint::black_box;

struct Machine {
    state: u64,
}

impl Machine {
    #[inline(never)]
    fn run(&mut self, steps: u64) -> u64 {
        for i in 0..steps {
            self.state ^= step(i); // @step
        }
        self.state
    }
}

#[inline(never)]
fn step(x: u64) -> u64 {
    black_box(x).rotate_left(3)
}

#[inline(never)]
fn prepare(x: u64) -> u64 {
    (0..1000).fold(x, |t, i| t ^ black_box(step(i)))
}

fn main() {
    let mut machine = Machine { state: prepare(1) };
    for n in [2, 18, 0, 20, 10] {
        machine.state ^= prepare(machine.state);
        black_box(machine.run(black_box(n)));
    }
    println!("{}", machine.state);
}
