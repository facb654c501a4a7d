# Lists the benchmarks of a pytest suite, or runs one of them.
#
# A benchmark is what a test hands to the fixture `benchmark`, or a test that is marked so. Where there are none, each test is one.

import inspect
import shutil
import tempfile

import pytest
from _pytest.skipping import evaluate_skip_marks


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
            # A cache that the first call fills, or an import, is there in all others.
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
            tests = {item.nodeid: item for item in session.items}
            test = tests[fork_each(self.remove_folder)]
            session.config.hook.pytest_runtest_protocol(item=test, nextitem=None)
            leave(0 if self.is_measured and not session.testsfailed else 1)
        # None leaves it to pytest.
        return True if task == "list" else None

    def pytest_runtest_setup(self, item):
        seed_random_numbers()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        outcome = yield
        if fixturedef.argname == "benchmark" and outcome.excinfo is None:
            fixture = outcome.get_result()
            # A plugin may present its fixture as one of another class.
            object.__dict__["__class__"].__set__(fixture, type("Measured", (MeasuredCalls, type(fixture)), {}))


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
    print_results(suite.names)
    sys.exit(0 if code in (0, NO_TESTS) or suite.broken else code)
if code == 0 and not suite.is_measured:
    sys.exit("%s was skipped, or never called `benchmark`" % chosen)
if task == "time":
    print_results(suite.times)
sys.exit(code)
