fn main() { println!("cargo:rustc-cfg=a"); }
