def f(xs, size=3):
    return xs[:size]


class C:
    def g(self, x):
        return x


def k(xs, size=3):
    return xs[size]
