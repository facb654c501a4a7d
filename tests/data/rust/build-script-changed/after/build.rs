fn main() { println!("cargo:rustc-cfg=b"); }
