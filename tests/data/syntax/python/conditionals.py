def choose(a, b):
    if a > b:
        one()
    elif b == 0:
        two()
    else:
        three()
    c = first(a) if a else second(b)
    d = a and b
    return d or check(c)
