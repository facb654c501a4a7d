mod outer {
    pub mod inner {
        pub(crate) fn free() {}
    }
}
impl<T: Clone> Holder<T> {
    pub const fn inherent(self) {}
}
impl fmt::Display for Holder<u8> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn nested(x: u8) -> u8 { x }
        struct Local;
        impl Local { fn method() {} }
        Ok(())
    }
}
pub trait Shape {
    const SIDES: u32 = 0;
    fn area(&self) -> f64;
    fn describe(&self) -> String { self.area().to_string() }
}
impl Shape for [u8] { fn area(&self) -> f64 { 0.0 } }
async unsafe fn modern() { wait().await }
cfg_if::cfg_if! {
    if #[cfg(feature = "a")] { fn on_unix() {} } else { fn elsewhere() {} }
}
wrapped! { fn in_macro() { call() } }
