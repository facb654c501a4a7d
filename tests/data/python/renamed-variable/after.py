def f(xs):
    extent = g(xs)
    return extent + 1

def g(xs):
    return len(xs)
