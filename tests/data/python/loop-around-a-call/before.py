def f(xs):
    return g(xs)

def g(xs):
    return len(xs)
