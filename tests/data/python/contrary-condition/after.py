def total(xs):
    result = 0
    for x in xs:
        if seen(x):
            result += dear(x)
        if x > 4:
            result += dear(x + 1)
    return result
