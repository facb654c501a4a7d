pub struct Cache<K, V>(Vec<(K, V)>) where K: Eq;
pub trait Weigh where Self: Sized { fn weigh(&self) -> usize; }
impl<K, V> Cache<K, V> where K: Eq, V: Clone {
    pub fn find(&self, key: &K) -> Option<V> { self.0.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone()) }
}
impl<V> Weigh for Cache<u8, V> where V: Clone { fn weigh(&self) -> usize { self.0.len() } }
