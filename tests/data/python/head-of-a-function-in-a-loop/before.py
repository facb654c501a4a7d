import functools


def stated(values):
    return [one for one in map(lambda value, by=2: value * by, values)]


def made(values):
    found = []
    for value in values:
        def inner(one, two=1):
            return one

        found.append(inner)
    return found


def kept(values):
    for value in values:
        def inner(one: int) -> int:
            return one

        inner(value)
