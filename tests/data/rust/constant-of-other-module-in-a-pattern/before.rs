mod low {
    pub const LIMIT: u64 = 3;
}

mod high {
    pub const LIMIT: u64 = 1000;
}

fn rounds(of: u64) -> u64 {
    match of {
        low::LIMIT => 1,
        other => other,
    }
}
