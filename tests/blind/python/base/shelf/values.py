import functools
import re

ROUNDS = 4000
UNUSED_ROUNDS = 7
PATTERN = re.compile("a+b")
WEIGHTS = [1, 2, 3, 4]
SETTINGS = {"depth": 3}


class Base:
    factor = 200

    def weight(self):
        return 1


class Plain(Base):
    def __init__(self, key):
        self.key = key


class Other(Base):
    def weight(self):
        return 2


def constant():
    total = 0
    for n in range(ROUNDS):
        total += n
    return total


def class_attribute():
    total = 0
    for n in range(Plain.factor * 20):
        total += n
    return total


def default_argument():
    return sum(repeated(n) for n in range(400))


def repeated(n, times=10):
    total = 0
    for _ in range(times):
        total += n
    return total


@functools.lru_cache(maxsize=None)
def cached(n):
    return sum(range(300 + n))


def decorator():
    return sum(cached(n % 5) for n in range(1500))


def pattern():
    return sum(bool(PATTERN.match("aaaaaaaaaaaaaaaaac")) for _ in range(1500))


def table():
    total = 0
    for _ in range(900):
        for weight in WEIGHTS:
            total += weight
    return total


def inherited():
    one = Plain(1)
    return sum(one.weight() for _ in range(3000))


def equality():
    wanted = [Plain(n) for n in range(60)]
    return sum(one in wanted for one in wanted)


def attribute():
    one = Plain(3)
    return sum(one.key for _ in range(4000))


def setting():
    total = 0
    for n in range(SETTINGS["depth"] * 1000):
        total += n
    return total


def unused(n):
    return n * UNUSED_ROUNDS
