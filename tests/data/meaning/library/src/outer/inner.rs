pub const INNER: u64 = 5000;
