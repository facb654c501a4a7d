def loops(items):
    for index, item in enumerate(items):
        use(item)
    else:
        done()
    while ready(items):
        step()
    squares = [square(x) for x in items if keep(x)]
    pairs = {k: v for k, v in items}
    return sum(x.size for x in items)
