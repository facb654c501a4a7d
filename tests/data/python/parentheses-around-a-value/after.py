def h(xs):
    if xs:
        xs = xs + 1
    return xs


def k(xs):
    return xs + 1 * 2
