import re
from functools import lru_cache

LIMIT = 30
WORD = re.compile("[a-z]+")


class Shape:
    sides = 4

    def __init__(self, width, height=2):
        self.width = width
        self.height = height

    def weight(self):
        return self.width * self.height

    @property
    def doubled(self):
        return self.weight() * 2


class Square(Shape):
    def weight(self):
        if self.width > LIMIT:
            return LIMIT * LIMIT
        return super().weight() + helper(self.width)


@lru_cache(maxsize=None)
def helper(of, step=1):
    total = 0
    for value in range(0, of, step):
        if value % 2 == 0:
            total += value
        else:
            total += 1
    return total


def words(text):
    found = {}
    for match in WORD.finditer(text):
        word = match.group(0)
        found[word] = found.get(word, 0) + 1
    return sorted(found, key=lambda word: -found[word])


def total(shapes):
    weights = [shape.weight() for shape in shapes if shape.width]
    try:
        return sum(weights) / len(weights)
    except ZeroDivisionError:
        return 0
    finally:
        helper(3)


def read(lines):
    with open(lines) as file:
        while line := file.readline():
            yield line.strip()


def early(of):
    if of > LIMIT:
        return helper(of)
    return helper(of + 1)


def search(values, wanted):
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def both(first, second):
    left = max(first)
    right = max(second)
    if left is None:
        return helper(right)
    return left
