from __future__ import annotations


def kept(values):
    for value in values:
        def inner(one):
            return one

        inner(value)
