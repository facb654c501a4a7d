def f(xs: list[int], size: int = 3) -> list[int]:
    return xs[:size]


class C:
    def g(self, x: int) -> int:
        return x


def k(xs: list, size: int = 3, more=None):
    return xs[size]
