def f(xs):
    total: int = 0
    name: str = "a" + r"b" + f"{xs}c"
    for x in xs:
        half: float = x / 2
        total += half
    return {"total": total, name: b"d"}


def g(xs):
    return "a" + len(xs) * "c"
