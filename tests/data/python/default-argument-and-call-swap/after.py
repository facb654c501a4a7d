def f(xs):
    return list(xs)
