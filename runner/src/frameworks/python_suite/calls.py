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


def begin_mark():
    """The garbage collector's state must not depend on what ran before."""
    gc.collect()
    gc.freeze()
    ctermid()


def end_mark():
    ctermid()
    gc.unfreeze()


def call_between_marks(function, times):
    """The last result of some calls."""
    begin_mark()
    try:
        for _ in range(times):
            result = function()
        return result
    finally:
        end_mark()


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


