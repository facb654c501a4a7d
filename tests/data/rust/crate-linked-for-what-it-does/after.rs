use counting as _;
#[used]
#[unsafe(link_section = "rules")]
static RULE: fn(u64) -> Box<u64> = run;
pub fn run(n: u64) -> Box<u64> {
    Box::new(n)
}
