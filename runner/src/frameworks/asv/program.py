# Lists the benchmarks of an asv suite, or runs one of them.
#
# A benchmark is a function or method `time_…` with one combination of its parameters. Where it has set-up, it finds the set-up's
# work fresh at each call, as in asv itself.

import argparse
import functools
import importlib
import itertools
import re

try:
    from asv_runner import discovery
except ImportError:
    sys.exit("asv_runner is missing for %s: install asv there" % sys.executable)

# The files of settings that asv looks for.
SETTINGS = ("asv.conf.json", "asv.conf.jsonc")


def suite_folder(settings):
    """The folder of the benchmarks: asv's own reader of settings takes longer to load than a suite."""
    try:
        with open(settings) as file:
            lines = [line for line in file if not line.lstrip().startswith("//")]
    except OSError as error:
        sys.exit("reading asv's settings %s: %s" % (settings, error.strerror))
    named = re.search(r'"benchmark_dir"\s*:\s*"([^"]*)"', "".join(lines))
    return os.path.abspath(os.path.join(os.path.dirname(settings), named.group(1) if named else "benchmarks"))


def is_timed(benchmark):
    # Others measure memory, or code in processes of its own.
    return type(benchmark).__name__ == "TimeBenchmark"


def cases(benchmark):
    """The name of each combination of parameters, in asv's order; None for one that the suite leaves out."""
    if not benchmark.params:
        return [benchmark.name]
    left_out = [tuple(values) for values in getattr(benchmark, "_skip_tuples", [])]
    shown = itertools.product(*benchmark.params)
    values = itertools.product(*benchmark._params)
    return [
        None if values in left_out else "%s(%s)" % (benchmark.name, ", ".join(shown)) for shown, values in zip(shown, values)
    ]


def selected(case):
    """The benchmark of a name, ready to be set up."""
    benchmark = discovery.get_benchmark_from_name(folder, case.split("(")[0])
    if benchmark.params:
        benchmark.set_param_idx(cases(benchmark).index(case))
    return benchmark


def set_up(benchmark):
    if benchmark.do_setup():
        sys.exit("the set-up of %s says that it can't run here: leave it out by `exclude` in lito.toml" % chosen)


def renew(benchmark):
    benchmark.do_teardown()
    set_up(benchmark)


def measure(benchmark):
    seed_random_numbers()
    cache = benchmark.do_setup_cache()
    if hasattr(benchmark, "set_cache"):
        benchmark.set_cache(cache)
    elif cache is not None:
        benchmark.insert_param(cache)
    set_up(benchmark)
    given = benchmark._build_params() if hasattr(benchmark, "_build_params") else benchmark._current_params
    function = functools.partial(benchmark.func, *given)
    is_renewed = bool(benchmark._setups)
    # A cache that the first call fills, or an import, is there in all others.
    function()
    if task == "time" and is_renewed:
        print_results([time_renewed_calls(benchmark, function, float(amount))])
    elif task == "time":
        times = []
        call_with_clock(function, float(amount), times)
        print_results(times)
    else:
        if is_renewed:
            renew(benchmark)
        call_between_marks(function, 1 if is_renewed else int(amount))
    benchmark.do_teardown()


def time_renewed_calls(benchmark, function, seconds):
    """The nanoseconds of a call. Set-up may take much longer than the calls, which then are fewer."""
    calls = spent = 0
    began = time.perf_counter()
    while calls == 0 or spent < seconds * 1e9 and time.perf_counter() - began < 10 * seconds:
        renew(benchmark)
        start = time.perf_counter_ns()
        function()
        spent += time.perf_counter_ns() - start
        calls += 1
    return spent / calls


def load(group):
    """Imports the module of a group, a class or the module itself."""
    parts = group.split(".")
    for parts in (parts, parts[:-1]):
        if parts and os.path.isfile(os.path.join(folder, *parts) + ".py"):
            importlib.import_module(".".join([os.path.basename(folder)] + parts))
            return


options = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
options.add_argument("--config", default=next(filter(os.path.exists, SETTINGS), SETTINGS[0]))
options.add_argument("--bench", "-b", action="append", default=[])
options = options.parse_known_args(arguments)[0]
folder = suite_folder(options.config)
discovery.update_sys_path(folder)
if task == "list":
    found = [case for benchmark in discovery.disc_benchmarks(folder) if is_timed(benchmark) for case in cases(benchmark) if case]
    wanted = [re.compile(pattern) for pattern in options.bench]
    print_results([case for case in found if not wanted or any(pattern.search(case) for pattern in wanted)])
elif task == "share":
    load(chosen)
    chosen = fork_each(lambda: None)
    measure(selected(chosen))
    leave(0)
else:
    measure(selected(chosen))
