import math


def roots(values):
    made = []
    for value in values:
        made.append(math.sqrt(value))
    return made
