import functools


def stated(values):
    return [one for one in map(lambda value, by=len(values): value * by, values)]


def made(values):
    found = []
    for value in values:
        @functools.cache
        def inner(one, two=tuple(values)):
            return one

        found.append(inner)
    return found


def kept(values):
    for value in values:
        def inner(one: list[int]) -> int:
            return one

        inner(value)
