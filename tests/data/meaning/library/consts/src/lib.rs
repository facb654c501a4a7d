pub const BASE: u64 = 100;
