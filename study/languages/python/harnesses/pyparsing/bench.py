"""Grammars of arithmetic and of records: built, and used."""

import os
import sys

# The version that is measured, where its package is.
checkout = os.environ["LITO_CHECKOUT"]
sys.path[:0] = [os.path.join(checkout, "src"), checkout]

import pyparsing as pp


def arithmetic():
    number = pp.Word(pp.nums).set_parse_action(lambda tokens: int(tokens[0]))
    term = pp.infix_notation(
        number | pp.Word(pp.alphas),
        [("*", 2, pp.OpAssoc.LEFT), ("+", 2, pp.OpAssoc.LEFT)],
    )
    for i in range(6):
        assert term.parse_string(f"{i} + a * (b + {i}) * 3 + 4", parse_all=True)


def records():
    name = pp.Word(pp.alphas, pp.alphanums + "_")
    value = pp.QuotedString('"') | pp.Regex(r"[0-9]+(\.[0-9]+)?") | pp.Keyword("true")
    record = pp.Group(name("name") + pp.Suppress("=") + pp.Group(value + (pp.Suppress(",") + value)[...]) + pp.Suppress(";"))
    text = "".join(f'field{i} = "text {i}", {i}, {i}.5, true;\n' for i in range(40))
    assert len(record[...].parse_string(text, parse_all=True)) == 40


for _ in range(int(sys.argv[2])):
    arithmetic() if sys.argv[1] == "arithmetic" else records()
