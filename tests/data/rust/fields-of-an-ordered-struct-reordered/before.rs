#[derive(
    Clone, Debug, std::cmp::PartialEq, std::cmp::Eq,
    std::cmp::PartialOrd, std::cmp::Ord,
)]
pub struct Record {
    pub id: u32,
    pub name: Vec<u64>,
}
pub fn sort(records: &mut Vec<Record>) {
    records.sort();
}
