const LIMIT: u64 = 30;

static NAMES: [&str; 3] = ["one", "two", "three"];

struct Reader {
    bytes: Vec<u8>,
    at: usize,
    seen: Option<u64>,
}

enum Shape {
    Square(u64),
    Row { width: u64, height: u64 },
    Empty,
}

trait Weighed {
    fn weight(&self) -> u64;

    fn doubled(&self) -> u64 {
        self.weight() * 2
    }
}

impl Weighed for Shape {
    fn weight(&self) -> u64 {
        match self {
            Shape::Square(side) if *side > LIMIT => LIMIT * LIMIT,
            Shape::Square(side) => side * side,
            Shape::Row { width, height } => width * height + helper(*width),
            Shape::Empty => 0,
        }
    }
}

impl Reader {
    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        self.seen = Some(u64::from(byte));
        Some(byte)
    }

    fn count(&mut self) -> usize {
        let mut total = 0;
        while let Some(byte) = self.next() {
            if byte == b' ' || byte == b'\n' {
                continue;
            }
            total += 1;
        }
        total
    }
}

fn helper(of: u64) -> u64 {
    let mut sum = 0;
    for step in 0..of {
        sum += if step % 2 == 0 { step } else { 1 };
    }
    sum
}

fn longest(words: &[String]) -> usize {
    let lengths = words.iter().filter(|word| !word.is_empty()).map(|word| word.len());
    lengths.max().unwrap_or(NAMES.len())
}

fn grown(shapes: Vec<Shape>) -> Vec<u64> {
    let mut weights = Vec::with_capacity(shapes.len());
    for shape in shapes {
        weights.push(shape.weight() + shape.doubled());
    }
    weights.sort_unstable();
    weights
}

macro_rules! squared {
    ($value:expr) => {
        $value * $value
    };
}

fn area(side: u64) -> u64 {
    let outer = squared!(side);
    let inner = squared!(side - 1);
    outer - inner
}

fn early(of: u64) -> u64 {
    if of > LIMIT {
        return helper(of);
    }
    helper(of + 1)
}

fn search(values: &[u64], wanted: u64) -> usize {
    let (mut low, mut high) = (0, values.len());
    while low < high {
        let middle = (low + high) / 2;
        if values[middle] < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn both(first: &[u64], second: &[u64]) -> u64 {
    let left = first.iter().max();
    let right = second.iter().max();
    match (left, right) {
        (Some(left), Some(right)) => helper(*left).max(*right),
        (Some(one), None) | (None, Some(one)) => *one,
        _ => 0,
    }
}
