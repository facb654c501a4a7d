pub mod sizes;
