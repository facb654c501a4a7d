#[derive(Debug)]
pub struct LongWire {
    pub id: u64,
}
pub struct LongPlain;
pub fn printed(wire: &LongWire) -> String {
    format!("{wire:?}")
}
pub fn named() -> &'static str {
    std::any::type_name::<LongPlain>()
}
pub fn told(wire: &LongWire) {
    panic!("{wire:?}");
}
