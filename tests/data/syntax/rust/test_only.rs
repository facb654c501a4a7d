#[test]
fn a_test() {}
#[tokio::test]
async fn an_async_test() {}
#[bench]
fn a_benchmark(b: &mut Bencher) {}
#[cfg(test)]
fn helper() {}
#[cfg(all(test, unix))]
mod tests {
    const LIMIT: u8 = 1;
    fn inside() {}
}
#[cfg(any(test, feature = "x"))]
fn not_only() {}
#[cfg(not(test))]
fn never() {}
