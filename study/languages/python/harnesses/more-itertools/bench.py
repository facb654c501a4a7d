"""Iterators that group, and iterators that move a window."""

import os
import sys

# The version that is measured, where its package is.
checkout = os.environ["LITO_CHECKOUT"]
sys.path[:0] = [os.path.join(checkout, "src"), checkout]

import more_itertools as more


def groups():
    list(more.chunked(range(500), 7))
    list(more.split_at(range(500), lambda n: n % 13 == 0))
    list(more.unique_everseen(n % 97 for n in range(500)))
    list(more.collapse([[1, [2, 3]], [[4]], range(50)] * 4))
    for bucket in (more.bucket(range(200), key=lambda n: n % 5)[at] for at in range(5)):
        list(bucket)
    list(more.interleave_longest([1, 2, 3], range(100), "abc"))
    for part in more.partition(lambda n: n % 2, range(300)):
        list(part)


def windows():
    list(more.windowed(range(500), 4, step=2))
    list(more.pairwise(range(500)))
    list(more.stagger(range(300), offsets=(0, 1, 5), longest=True))
    peeked = more.peekable(range(300))
    while peeked.peek(None) is not None:
        next(peeked)
    list(more.substrings("abcdefghij"))
    list(more.set_partitions(range(6), 3))


for _ in range(20 * int(sys.argv[2])):
    groups() if sys.argv[1] == "groups" else windows()
