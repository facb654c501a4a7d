#[macro_use]
mod first;
mod second;
mod user;
