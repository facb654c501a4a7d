"""Prints what CPython spends on a call of each builtin: instructions with 10 elements, and for each of 1,000 more.

Needs valgrind. Takes about ten minutes: `python3 prices.py`, with the interpreter that is measured. The prices of
analyzer/config/languages/python/prices.toml are read off what it prints.
"""

import functools
import os
import re
import subprocess
import sys
import tempfile

# One function, so that its locals are fast; numbers above 256, which CPython does not keep.
PROGRAM = """
import re, sys
from collections import Counter, defaultdict, deque
from functools import partial
from itertools import chain, islice, repeat

class Plain:
    def __init__(self):
        self.field = 1

def f(times, size):
    plain = Plain(); number = 5; fraction = 1.5; nothing = iter(())
    items = list(range(size)); changed = list(items); more = []; queue = deque(items)
    table = dict.fromkeys(items, 1); more_table = {}; lists = defaultdict(list); distinct = set(items)
    text = "a" * size; raw = b"a" * size; words = "ab " * (size // 3 + 1); texts = ["ab"] * size; pattern = re.compile("[a-z]+")
    for _ in range(1000, 1000 + times):
        CODE

f(int(sys.argv[1]), int(sys.argv[2]))
"""

# What is measured. Calls of one line belong together.
CALLS = """
pass
for _ in items: pass | for _ in range(size): pass | [_ for _ in items] | sum(_ for _ in items) | while more: pass
more = number | number == 7 | number + number | text == "b" | plain.field | items[1] | table[1] | text[1] | number in table | [number, number]
len(items) | isinstance(plain, Plain) | issubclass(Plain, object) | type(plain) | id(plain) | hash(text) | callable(f) | bool(number) | chr(97) | ord("a") | abs(number)
getattr(plain, "field") | getattr(plain, "other", None) | hasattr(plain, "field") | setattr(plain, "field", 1) | iter(items) | next(nothing, None)
repr(number) | str(number) | int("12") | float("1.5") | divmod(number, 3) | pow(number, 2) | round(fraction) | min(number, 7) | max(number, 7)
range(size) | enumerate(items) | zip(items, items) | map(len, items) | filter(None, items) | reversed(items) | slice(1, 2) | object() | Plain()
list(items) | tuple(items) | set(items) | frozenset(items) | dict(table) | bytes(raw) | bytearray(raw) | memoryview(raw) | deque(items) | Counter(more)
sum(items) | min(items) | max(items) | sorted(items) | any(more) | all(items) | list(map(str, items)) | chain(items, items) | islice(items, 3) | repeat(1, 3) | partial(f, 1)
more.append(number); more.clear() | items.count(-1) | items.index(size - 1) | items.copy() | changed.reverse() | changed.sort() | more.extend(items); more.clear()
changed.insert(0, changed.pop()) | changed.append(changed.pop()) | changed.append(changed.pop(0)) | queue.append(queue.popleft()) | lists[1]
table.get(1) | table.keys() | table.items() | table.values() | table.copy() | more_table.update(table); more_table.clear() | table.setdefault(1, 2) | table.pop(-1, None) | dict.fromkeys(items)
distinct.add(1) | distinct.discard(-1) | distinct.copy() | distinct.union(distinct) | distinct.issubset(distinct) | distinct.intersection(distinct) | distinct.difference(distinct)
text.startswith("a") | text.endswith("a") | text.find("b") | text.index("a") | text.count("b") | text.replace("b", "c") | text.replace("a", "c") | text.partition("b")
words.split() | words.split(" ") | words.rsplit(" ", 1) | text.splitlines() | "".join(texts) | "{} {}".format(number, number) | text.translate({98: 99})
text.strip() | text.lower() | text.upper() | text.title() | text.isdigit() | text.isalpha() | text.isidentifier() | text.encode() | raw.decode() | text.zfill(3) | text.expandtabs()
pattern.match(text) | pattern.search(text) | pattern.sub("b", text) | pattern.findall(words) | pattern.split(words) | pattern.finditer(words) | pattern.match(text).group()
re.match("[a-z]+", text) | re.compile("[a-z]+")
"""


@functools.cache
def instructions(code, times, size):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.py")
        with open(program, "w") as file:
            file.write(PROGRAM.replace("CODE", code))
        callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        command = [*callgrind, sys.executable, "-S", program, str(times), str(size)]
        environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0"}  # the order of sets counts
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def cost(code, size, times):
    """Instructions of one execution, those of the loop around it left out."""
    executed = instructions(code, 2 * times, size) - instructions(code, times, size)
    empty = instructions("pass", 2 * times, size) - instructions("pass", times, size)
    return (executed - empty) / times


# The first run compiles what it imports.
instructions("None", 1, 1)
print(f"{'with 10 elements':>60}{'for each more':>16}")
for line in CALLS.strip().splitlines():
    for code in line.split(" | "):
        few, many = cost(code, 10, 500), cost(code, 1010, 100)
        print(f"{code:44}{few:16.0f}{(many - few) / 1000:16.2f}", flush=True)
