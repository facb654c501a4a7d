# Runs a script of pyperf with a runner that lists the script's benchmarks, or measures one of them in this process.
#
# Where a function of the script reads the clock itself, what it does between its first two readings is measured.

import asyncio
import functools
import runpy
import timeit

import pyperf

read_clock = time.perf_counter


class Clock:
    """What a benchmark reads: it marks the subject while one is counted."""

    def __init__(self):
        self.readings = None

    def __call__(self):
        if self.readings is None:
            return read_clock()
        self.readings += 1
        if self.readings == 2:
            pass_mark(False)
        now = read_clock()
        if self.readings == 1:
            pass_mark(True)
        return now


class Suite:
    def __init__(self):
        self.names = []
        self.times = []
        self.is_measured = False

    def is_next(self, name):
        """True for the benchmark to run, at its first time."""
        if task == "list":
            if name not in self.names:
                self.names.append(name)
            return False
        is_next = name == chosen and not self.is_measured
        if is_next:
            self.is_measured = True
            seed_random_numbers()
        return is_next

    def count(self, function):
        # A cache that the first call fills, or an import, is there in all others.
        function()
        call_between_marks(function, int(amount))

    def time(self, run, inner_loops):
        """`run` gives the seconds of a number of loops."""
        loops = 1
        seconds = run(loops)
        while seconds < float(amount):
            loops = max(loops + 1, min(loops * 10, int(loops * 1.2 * float(amount) / max(seconds, 1e-9))))
            seconds = run(loops)
        self.times.append(seconds * 1e9 / loops / (inner_loops or 1))


def bench_func(runner, name, function, *given, **named):
    runner.parse_args()
    if not suite.is_next(name):
        return
    if given:
        function = functools.partial(function, *given)
    if task == "time":
        suite.time(lambda loops: timeit.Timer(function, timer=read_clock).timeit(loops), named.get("inner_loops"))
    else:
        suite.count(function)


def bench_time_func(runner, name, function, *given, **named):
    runner.parse_args()
    if not suite.is_next(name):
        return
    if task == "time":
        suite.time(lambda loops: function(loops, *given), named.get("inner_loops"))
        return
    function(1, *given)
    clock.readings = 0
    function(int(amount), *given)
    if clock.readings < 2:
        sys.exit("%s does not read the clock, time.perf_counter(), before and behind what it measures" % name)
    clock.readings = None


def bench_async_func(runner, name, function, *given, **named):
    runner.parse_args()
    if not suite.is_next(name):
        return
    loop = (named.get("loop_factory") or asyncio.new_event_loop)()
    asyncio.set_event_loop(loop)

    async def repeat(times):
        began = read_clock()
        for _ in range(times):
            await function(*given)
        return read_clock() - began

    async def count():
        await function(*given)
        pass_mark(True)
        await repeat(int(amount))
        pass_mark(False)

    try:
        if task == "time":
            suite.time(lambda loops: loop.run_until_complete(repeat(loops)), named.get("inner_loops"))
        else:
            loop.run_until_complete(count())
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def bench_command(runner, name, command):
    """A command is a benchmark of lito.toml's own."""


suite = Suite()
clock = Clock()
# The function that `Runner.timeit` makes of statements is handed to `bench_time_func` too.
time.perf_counter = timeit.default_timer = pyperf.perf_counter = clock
for function in (bench_func, bench_time_func, bench_async_func, bench_command):
    setattr(pyperf.Runner, function.__name__, function)
code = 0
try:
    runpy.run_path(name, run_name="__main__")
except SystemExit as end:
    code = end.code
sys.stdout.flush()
if task == "list":
    print_results(suite.names)
elif task == "time" and suite.is_measured:
    print_results(suite.times)
if code in (None, 0) and task != "list" and not suite.is_measured:
    code = "the script has no benchmark %s" % chosen
sys.exit(code)
