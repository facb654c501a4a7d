pub const TIMES: u64 = consts::BASE * 50;
