pub fn a() -> u64 { 1 }

pub fn b() -> u64 { 2 + }}}} 
