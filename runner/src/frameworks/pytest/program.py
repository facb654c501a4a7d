"""Lists the benchmarks of a pytest suite, or runs one of them.

    python -c … START list "" "" ARGUMENTS…
    python -c … START count TEST TIMES ARGUMENTS…
    python -c … START time TEST SECONDS ARGUMENTS…
    python -c … START share FILE TIMES ARGUMENTS…

START is `module` or `script`, as the command in lito.toml starts pytest; ARGUMENTS are those for pytest.

A benchmark is what a test hands to the fixture `benchmark`, or a test that is marked so. Where there are none, each test is one.
`count` calls it between two calls of a function that nothing else calls, and a profiler sees them; `time` prints nanoseconds. `share`
counts several tests of a file, each in a fork of one start: see `fork_each`.
"""

import gc
import inspect
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time

# It only copies a constant.
from os import ctermid

start, task, chosen, amount = sys.argv[1:5]
arguments = sys.argv[5:]
if sys.path[:1] == [""]:
    # A module is looked for here first, a script's in its own folder.
    sys.path[:1] = [os.getcwd()] if start == "module" else []
sys.argv[:] = ["pytest"] + arguments

import pytest
from _pytest.skipping import evaluate_skip_marks

# The start of the line with the results, which stands behind what pytest prints.
RESULTS = "lito: "


def call_between_marks(function, times):
    """The last result of some calls, in a state of the garbage collector that does not depend on what ran before."""
    gc.collect()
    gc.freeze()
    try:
        ctermid()
        for _ in range(times):
            result = function()
        return result
    finally:
        ctermid()
        gc.unfreeze()


def call_with_clock(function, seconds, times):
    """The last result of calls that take this long together, at least one, and the nanoseconds of one."""
    calls = 0
    start = now = time.perf_counter_ns()
    while calls == 0 or now - start < seconds * 1e9:
        result = function()
        calls += 1
        now = time.perf_counter_ns()
    times.append((now - start) / calls)
    return result


class MeasuredCalls:
    """In front of the class of a fixture `benchmark`: measures what it is given."""

    def __call__(self, function, *given, **named):
        return super().__call__(measured(function, True), *given, **named)

    def pedantic(self, target, *given, **named):
        # What `setup` makes is good for one call.
        return super().pedantic(measured(target, not named.get("setup")), *given, **named)


def measured(function, is_repeatable):
    def call(*given, **named):
        return suite.measure(lambda: function(*given, **named), is_repeatable)

    return call


class Suite:
    """A plugin that selects one test, or lists them all."""

    def __init__(self):
        self.names = []
        self.times = []
        self.broken = []
        self.file = None
        self.folder = None
        self.is_measured = False

    def measure(self, function, is_repeatable):
        if self.is_measured:
            return function()
        self.is_measured = True
        if task == "time":
            return call_with_clock(function, float(amount) if is_repeatable else 0, self.times)
        if is_repeatable:
            # What the first call fills, a cache or an import, is there in all others.
            function()
        return call_between_marks(function, int(amount) if is_repeatable else 1)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self, early_config):
        # pytest-cov traces each line.
        early_config.known_args_namespace.cov_source = []
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_main(self, config):
        # pytest-xdist runs tests in other processes.
        config.option.numprocesses = None
        config.option.dist = "no"
        config.option.tx = []
        # pytest-benchmark then calls what it is given once.
        config.option.benchmark_disable = True
        config.option.benchmark_enable = False
        config.option.benchmark_only = False
        config.option.benchmark_skip = False
        # pytest-timeout: a profiler makes tests slow.
        config.option.timeout = 0
        # Each run finds the same: folders with names of one length, and nothing that an earlier run left.
        self.folder = tempfile.mkdtemp(prefix="pytest-")
        config.option.basetemp = config.option.basetemp or os.path.join(self.folder, "tests")
        config.option.benchmark_storage = "file://" + os.path.join(self.folder, "benchmarks")
        if task != "list":
            root = getattr(config, "rootpath", None) or config.rootdir
            # The other tests of the file are collected too, as for a start that several share.
            self.file = os.path.join(str(root), chosen.split("::")[0])
            config.args = [self.file]
        yield
        self.remove_folder()

    def remove_folder(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config):
        # They keep for the next run what happened in this one.
        for name in ("lfplugin", "nfplugin", "stepwiseplugin"):
            if config.pluginmanager.has_plugin(name):
                config.pluginmanager.unregister(name=name)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        if task == "list":
            found = [item for item in items if is_run(item)]
            self.names = [item.nodeid for item in found if is_benchmark(item)] or [item.nodeid for item in found]
            return
        if task != "share":
            items[:] = [item for item in items if item.nodeid == chosen]
        if "hypothesis" in sys.modules:
            from hypothesis import settings

            settings.register_profile("lito", derandomize=True, deadline=None, database=None)
            settings.load_profile("lito")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item):
        if has_fixture(item):
            return
        if isinstance(item, pytest.Function) and not inspect.iscoroutinefunction(item.obj):
            item.obj = measured(item.obj, False)
        else:
            # The way to it counts as well.
            item.runtest = measured(item.runtest, False)

    if int(pytest.__version__.split(".")[0]) >= 7:

        @pytest.hookimpl(tryfirst=True)
        def pytest_ignore_collect(self, collection_path):
            # Nothing that stands beside the file is looked at: a change of it is then no risk.
            path = str(collection_path)
            if os.path.basename(path) == "__init__.py":
                path = os.path.dirname(path)
            if self.file is None or (self.file + os.sep).startswith(path + os.sep):
                return None
            return True

    def pytest_collectreport(self, report):
        if report.failed:
            reason = str(report.longrepr).strip().splitlines()[-1:]
            self.broken.append(": ".join([report.nodeid] + [line.lstrip("E ") for line in reason]))

    def pytest_runtestloop(self, session):
        if task == "share":
            test = fork_each({item.nodeid: item for item in session.items}, self.remove_folder)
            session.config.hook.pytest_runtest_protocol(item=test, nextitem=None)
            os._exit(0 if self.is_measured and not session.testsfailed else 1)
        # None leaves it to pytest.
        return True if task == "list" else None

    def pytest_runtest_setup(self, item):
        random.seed(0)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(0)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        outcome = yield
        if fixturedef.argname == "benchmark" and outcome.excinfo is None:
            fixture = outcome.get_result()
            # A plugin may present its fixture as one of another class.
            object.__dict__["__class__"].__set__(fixture, type("Measured", (MeasuredCalls, type(fixture)), {}))


def fork_each(tests, clean_up):
    """Forks for each run that the file in LITO_RUNS asks for, and returns the test in the fork; the start itself ends here.

    The file holds texts that end with a zero byte: the file for the report, the number of words of a run, which is 1, the
    milliseconds after which no other run begins, and for each run its limit in milliseconds and the name of the test. The report
    tells `s RUN PROCESS` of each start and `e RUN STATUS` of each end.
    """
    import ctypes

    with open(os.environ.pop("LITO_RUNS"), "rb") as file:
        texts = [text.decode() for text in file.read().split(b"\0")]
    report, _, budget = texts[:3]
    names = FunctionNames()
    # Python's own fork would name functions that have a name anew, at the cost of the run.
    fork = ctypes.PyDLL(None).fork
    began = time.monotonic()
    for run, (limit, test) in enumerate(zip(texts[3::2], texts[4::2])):
        if (time.monotonic() - began) * 1000 >= int(budget):
            break
        process = fork()
        if process == 0:
            return tests[test]
        if process < 0:
            break
        tell(report, "s", run, process)
        status = end_of(process, int(limit) / 1000)
        names.keep_for(process)
        tell(report, "e", run, status)
    clean_up()
    os._exit(0)


def tell(report, what, run, value):
    # It is closed again: a run must not inherit it.
    with open(report, "a") as file:
        file.write("%s %d %d\n" % (what, run, value))


def end_of(process, limit):
    """The status of a process, which is ended at its limit."""
    began = time.monotonic()
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return status
        if time.monotonic() - began >= limit:
            os.kill(process, signal.SIGKILL)
        time.sleep(0.004)


class FunctionNames:
    """The list of functions that the interpreter writes for a profiler; forks write into that of the start."""

    def __init__(self):
        self._of_start = self._read()
        self._known = len(self._of_start)

    def keep_for(self, process):
        """Writes the list of a fork that ended: the functions of the start, and its own."""
        names = self._read()
        if names:
            file = os.open("/tmp/perf-%d.map" % process, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(file, "wb") as file:
                file.write(self._of_start + names[self._known :])
            self._known = len(names)

    @staticmethod
    def _read():
        try:
            with open("/tmp/perf-%d.map" % os.getpid(), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""


def has_fixture(item):
    return "benchmark" in getattr(item, "fixturenames", ())


def is_benchmark(item):
    return has_fixture(item) or item.get_closest_marker("benchmark") is not None


def is_run(item):
    """False for a test that is marked to be skipped, or to fail."""
    return item.get_closest_marker("xfail") is None and not evaluate_skip_marks(item)


try:
    # When it is loaded, it asks git for the version and other programs for the machine: nobody knows which files these read.
    from pytest_benchmark import utils

    utils.get_commit_info = lambda project_name=None: {"id": "unversioned", "dirty": False}
    utils.get_machine_id = lambda: "machine"
except ImportError:
    pass

suite = Suite()
code = int(pytest.main(arguments, plugins=[suite]))
sys.stdout.flush()
NO_TESTS = 5
if task == "list":
    if suite.broken and "--continue-on-collection-errors" not in arguments:
        sys.exit("\n".join(suite.broken))
    print(RESULTS + json.dumps(suite.names))
    sys.exit(0 if code in (0, NO_TESTS) or suite.broken else code)
if code == 0 and not suite.is_measured:
    sys.exit("%s was skipped, or never called `benchmark`" % chosen)
if task == "time":
    print(RESULTS + json.dumps(suite.times))
sys.exit(code)
