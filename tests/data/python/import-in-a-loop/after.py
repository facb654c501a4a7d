def roots(values):
    made = []
    for value in values:
        from math import sqrt
        made.append(sqrt(value))
    return made
