#[macro_use]
mod first;
#[macro_use]
mod second;
mod user;
