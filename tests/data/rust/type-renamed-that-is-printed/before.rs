#[derive(Debug)]
pub struct Wire {
    pub id: u64,
}
pub struct Plain;
pub fn printed(wire: &Wire) -> String {
    format!("{wire:?}")
}
pub fn named() -> &'static str {
    std::any::type_name::<Plain>()
}
pub fn told(wire: &Wire) {
    panic!("{wire:?}");
}
