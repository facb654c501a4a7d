def f(xs):
    total = 0
    name = 'a' + r'b' + f'{xs}c'
    for x in xs:
        half = x / 2
        total += half
    return {'total': total, name: b'd'}


def g(xs):
    return 'a' + len(xs) * 'b'
