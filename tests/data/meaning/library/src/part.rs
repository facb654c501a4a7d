pub const PART: u64 = 5000;
