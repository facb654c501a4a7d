def fine():
    call(1)
def broken(:
    other(2)
def after():
    call(3)
