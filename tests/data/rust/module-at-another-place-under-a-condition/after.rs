#[cfg_attr(target_os = "linux", path = "plain.rs")]
#[cfg_attr(not(target_os = "linux"), path = "fast.rs")]
mod part;
pub fn run(n: u64) -> u64 {
    part::step(n)
}
