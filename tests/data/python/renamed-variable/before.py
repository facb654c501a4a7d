def f(xs):
    size = g(xs)
    return size + 1

def g(xs):
    return len(xs)
