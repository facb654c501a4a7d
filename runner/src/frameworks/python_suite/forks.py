# Several benchmarks of a group, each in a fork of one start. It stands behind calls.py and in front of a framework's program.

import signal


def fork_each(clean_up):
    """Forks for each run that the file in LITO_RUNS asks for, and returns the benchmark in the fork; the start itself ends here.

    The file holds texts that end with a zero byte: the file for the report, the number of words of a run, which is 1, the
    milliseconds after which no other run begins, and for each run its limit in milliseconds and the name of the benchmark. The report
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
    for run, (limit, benchmark) in enumerate(zip(texts[3::2], texts[4::2])):
        if (time.monotonic() - began) * 1000 >= int(budget):
            break
        process = fork()
        if process == 0:
            return benchmark
        if process < 0:
            break
        tell(report, "s", run, process)
        status = end_of(process, int(limit) / 1000)
        names.keep_for(process)
        tell(report, "e", run, status)
    clean_up()
    os._exit(0)


def leave(code):
    """Ends a fork, and not the code that waits for the end of the start."""
    sys.stdout.flush()
    getattr(sys, "_lito_write_observed", lambda: None)()
    os._exit(code)


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


