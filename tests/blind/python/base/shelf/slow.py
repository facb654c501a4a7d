def added(a, b):
    for _ in range(b):
        a += 1
    return a


def chosen(n):
    return sum(range(n % 100))
