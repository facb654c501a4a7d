//! Lays nested elements out.

pub struct Element {
    at: (u64, u64),
    size: (u64, u64),
    is_edge: bool,
    inner: Vec<Element>,
}

pub struct AdjustSizeOfNesting;

impl AdjustSizeOfNesting {
    #[inline(never)]
    pub fn on(element: &mut Element) {
        if element.elements_not_edge().is_empty() {
            return;
        }
        let rectangle = element.encompassing_rectangle();
        element.resize(rectangle);
    }
}

impl Element {
    /// An element with elements inside, and edges between these.
    pub fn nested(count: u64) -> Self {
        let inner = (0..count).map(|index| Self {
            at: (index * 3, index % 7),
            size: (2, 5),
            is_edge: index % 3 == 0,
            inner: Vec::new(),
        });
        Self {
            at: (0, 0),
            size: (0, 0),
            is_edge: false,
            inner: inner.collect(),
        }
    }

    #[inline(never)]
    fn elements_not_edge(&self) -> Vec<&Self> {
        let mut found = Vec::new();
        for element in &self.inner {
            let mut weight = element.at.0;
            for _ in 0..12 {
                weight = std::hint::black_box(weight.rotate_left(3) ^ element.size.1);
            }
            if !element.is_edge && weight != 1 {
                found.push(element);
            }
        }
        found
    }

    #[inline(never)]
    fn encompassing_rectangle(&self) -> (u64, u64) {
        let mut corner = (0, 0);
        for element in self.elements_not_edge() {
            let reach = element.bounds();
            corner = (reach.0.max(corner.0), reach.1.max(corner.1));
        }
        corner
    }

    #[inline(never)]
    fn bounds(&self) -> (u64, u64) {
        (self.at.0 + self.size.0, self.at.1 + self.size.1)
    }

    #[inline(never)]
    fn resize(&mut self, size: (u64, u64)) {
        self.size = size;
        self.translate(1);
    }

    #[inline(never)]
    fn translate(&mut self, step: u64) {
        for element in &mut self.inner {
            element.at = (element.at.0 + step, element.at.1 + step);
        }
    }
}

#[inline(never)]
pub fn run() -> u64 {
    let mut element = Element::nested(60);
    for _ in 0..50 {
        AdjustSizeOfNesting::on(&mut element);
    }
    element.size.0
}
