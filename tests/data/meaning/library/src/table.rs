const TABLED: u64 = 5000;
