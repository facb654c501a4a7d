def f(xs):
    for x in xs:
        g(x)

def g(xs):
    return len(xs)
