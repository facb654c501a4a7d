use fast::Turn;

pub fn run() -> u64 {
    5000.turn()
}
pub fn run_all() -> u64 {
    use self::fast_names::*;
    turns()
}
pub mod fast_names {
    pub fn turns() -> u64 {
        crate::spin(5000)
    }
}
pub mod slow_names {
    pub fn turns() -> u64 {
        crate::slow_spin(5000)
    }
}
pub mod fast {
    pub trait Turn {
        fn turn(self) -> u64;
    }
    impl Turn for u64 {
        fn turn(self) -> u64 {
            crate::spin(self)
        }
    }
}
pub mod slow {
    pub trait Turn {
        fn turn(self) -> u64;
    }
    impl Turn for u64 {
        fn turn(self) -> u64 {
            crate::slow_spin(self)
        }
    }
}
