import json
from pathlib import Path

import shelf
from shelf import fast
from shelf.fast import chosen

STEPS = {"once": fast.chosen, "often": fast.chosen}

try:
    from shelf import accelerated
except ImportError:
    accelerated = None


def imported():
    return sum(chosen(n) for n in range(2500))


def reexported():
    total = 0
    for n in range(2500):
        total = shelf.added(total, n % 40)
    return total


def dispatched():
    return sum(STEPS["often"](n) for n in range(2500))


def optional():
    if accelerated:
        return accelerated.total(60000)
    return sum(n for n in range(2500))


def read():
    text = Path(__file__).parent.parent.joinpath("data", "words.txt").read_text()
    return sum(len(word) for word in text.split())


def shadowed():
    return sum(len(json.dumps({"n": n})) for n in range(300))


def made_by_class():
    return sum(len(Maker.make(n)) for n in range(1500))


class Meta(type):
    def __call__(cls, *arguments):
        return super().__call__(*arguments)


class Maker:
    @staticmethod
    def make(n):
        return (n, n)


LATE = []


def late():
    return sum(step(n) for n in range(1200) for step in LATE)


def quick(n):
    return n


LATE.append(quick)
