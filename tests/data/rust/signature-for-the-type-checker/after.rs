#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Words<'t> { text: &'t str }
impl Words<'_> {
    #[must_use]
    pub const fn len(&self) -> usize { self.text.len() }
    pub fn find<T: ?Sized + AsRef<str>>(&self, part: &T) -> Option<usize> { self.text.find(part.as_ref()) }
    pub unsafe fn at(&self, mut at: usize) -> u8 { self.text.as_bytes()[at] }
}
