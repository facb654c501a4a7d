# lito: lists the benchmarks of a suite, or runs one of them. It runs in the place of the command that starts the suite:
#
#     python -c … START NAME list "" "" ARGUMENTS…
#     python -c … START NAME count BENCHMARK TIMES ARGUMENTS…
#     python -c … START NAME time BENCHMARK SECONDS ARGUMENTS…
#     python -c … START NAME share GROUP TIMES ARGUMENTS…
#
# START is `module` or `script`, and NAME its name or path, as the command in lito.toml has it; ARGUMENTS stand behind it there.
# `count` calls the benchmark between two calls of a function that nothing else calls, and a profiler sees them; `time` prints
# nanoseconds. `share` counts several benchmarks of a group, each in a fork of one start.

import gc
import json
import os
import random
import sys
import time

# It only copies a constant.
from os import ctermid

start, name, task, chosen, amount = sys.argv[1:6]
arguments = sys.argv[6:]
if sys.path[:1] == [""]:
    # A module is looked for here first, and what a script imports in the script's folder.
    sys.path[0] = os.getcwd() if start == "module" else os.path.dirname(os.path.realpath(name))
sys.argv[:] = [name] + arguments

# The start of the line with the results, which stands behind what the suite prints.
RESULTS = "lito: "


def print_results(results):
    print(RESULTS + json.dumps(results))


def seed_random_numbers():
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)


def counting_switch():
    """A function that turns callgrind's counting on or off, which it begins without if this variable is set."""
    if not os.environ.pop("LITO_TURN_COUNTING_ON", ""):
        return lambda is_on: None
    import ctypes
    import mmap

    # A request to valgrind: instructions that do nothing anywhere else, with the address of its numbers in a register.
    code = bytes.fromhex("53 4889f8 31d2 48c1c703 48c1c70d 48c1c73d 48c1c733 4887db 4889d0 5b c3")
    memory = mmap.mmap(-1, len(code), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    request = ctypes.CFUNCTYPE(ctypes.c_ulong, ctypes.c_void_p)(start)
    of_callgrind = ord("C") << 24 | ord("T") << 16
    off, on = ((ctypes.c_ulong * 6)(of_callgrind + number) for number in (5, 4))

    def turn(is_on, _kept=memory):
        request(on if is_on else off)

    return turn


turn_counting = counting_switch()


def pass_mark(is_begin):
    """One function for both marks: the interpreter prepares itself for a function when it first enters it."""
    if is_begin:
        # The garbage collector's state must not depend on what ran before.
        gc.collect()
        gc.freeze()
        turn_counting(True)
    ctermid()
    if not is_begin:
        turn_counting(False)
        gc.unfreeze()


def repeat(function, times):
    result = None
    for _ in range(times):
        result = function()
    return result


def call_between_marks(function, times):
    """The last result of some calls."""
    repeat(function, 0)
    pass_mark(True)
    try:
        return repeat(function, times)
    finally:
        pass_mark(False)


def call_with_clock(function, seconds, times):
    """The last result of calls that take this long together, at least one; adds the nanoseconds of one to the times."""
    calls = 0
    start = now = time.perf_counter_ns()
    while calls == 0 or now - start < seconds * 1e9:
        result = function()
        calls += 1
        now = time.perf_counter_ns()
    times.append((now - start) / calls)
    return result


