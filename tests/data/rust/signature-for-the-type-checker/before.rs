pub struct Words<'a> { text: &'a str }
impl<'a> Words<'a> {
    pub fn len(&self) -> usize { self.text.len() }
    pub fn find<T: AsRef<str>>(&self, part: &'a T) -> Option<usize> { self.text.find(part.as_ref()) }
    pub fn at(&self, at: usize) -> u8 { self.text.as_bytes()[at] }
}
