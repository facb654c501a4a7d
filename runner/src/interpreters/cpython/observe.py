# Counts how often each line runs, and collects the names that the program asks for as texts, and writes both when it ends. Python
# loads it at its start by its name, sitecustomize. The variables tell the files to write, the folders whose lines are left out, and
# whether lines count only between two calls of os.ctermid. Each entry of the counts is a file, a line and a count; the other file has
# names. All parts end with a zero byte.
import atexit
import os
import sys

here = os.path.dirname(__file__)
output = os.environ.pop("LITO_OBSERVED_LINES")
names_output = os.environ.pop("LITO_OBSERVED_NAMES")
is_marked = os.environ.pop("LITO_OBSERVED_MARKED") == "yes"
left_out = ("<", here, *filter(None, os.environ.pop("LITO_OBSERVED_LEFT_OUT").split(os.pathsep)))

# The program finds its own folders, and its own module of this name.
sys.path[:] = [folder for folder in sys.path if folder != here]
rest = os.environ.pop("LITO_OBSERVED_PATH")
if rest:
    os.environ["PYTHONPATH"] = rest
else:
    del os.environ["PYTHONPATH"]
module = sys.modules.pop("sitecustomize")
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = module


# The first process writes when it ends, a fork if it asks for it: see forks.py.
process = os.getpid()
writers = []


def open_output(path):
    return open(path if os.getpid() == process else "%s-%d" % (path, os.getpid()), "wb")


def write_all():
    for write in writers:
        write()


sys._lito_write_observed = write_all


def write_at_end():
    if os.getpid() == process:
        write_all()


def count_lines(monitoring):
    counts = {}
    frame = sys._getframe
    disable = monitoring.DISABLE

    # A statement over several lines comes back to its first one, and a loop to its head: these are other instructions of the
    # line.
    def line(code, number):
        if code.co_filename.startswith(left_out):
            return disable
        key = code, number, frame(1).f_lasti
        counts[key] = counts.get(key, 0) + 1

    def write():
        monitoring.set_events(tool, 0)
        most = {}
        for (code, number, _), count in counts.items():
            key = code.co_filename, number
            most.setdefault(key, {}).setdefault(code, 0)
            most[key][code] = max(most[key][code], count)
        with open_output(output) as file:
            for (path, number), of_codes in most.items():
                path = os.path.abspath(path)
                for part in (path, str(number), str(sum(of_codes.values()))):
                    file.write(part.encode("utf-8", "surrogateescape") + b"\0")

    for tool in range(6):
        try:
            monitoring.use_tool_id(tool, "lito")
            break
        except ValueError:
            pass
    else:
        return
    writers.append(write)
    monitoring.register_callback(tool, monitoring.events.LINE, line)
    if not is_marked:
        monitoring.set_events(tool, monitoring.events.LINE)
        return
    called = os.ctermid

    def mark():
        is_counting = monitoring.get_events(tool) != 0
        monitoring.set_events(tool, 0 if is_counting else monitoring.events.LINE)
        return called()

    os.ctermid = mark


# Such a module has no name of the project. pytest asks each of its own for all that it imports.
def is_of_library(asked):
    if type(asked) is not type(sys):
        return False
    file = asked.__dict__.get("__file__")
    return isinstance(file, str) and file.startswith(left_out)


# A value, and no function: as an attribute of a class it must stay what it is.
class Collecting:
    def __init__(self, function, at, names):
        self.function, self.at, self.names = function, at, names
        self.__name__ = self.__qualname__ = function.__name__
        self.__doc__, self.__module__ = function.__doc__, function.__module__

    def __call__(self, *arguments, **named):
        asked = arguments[self.at] if len(arguments) > self.at else named.get("name")
        if isinstance(asked, str) and not (self.at and is_of_library(arguments[0])):
            # Without what a class of texts of the program's own would do.
            self.names.add(str.__str__(asked))
        return self.function(*arguments, **named)


# Other processes that the program starts ask for themselves: what they execute is not in the profile either.
def collect_names():
    import builtins
    import importlib

    names = set()
    for name in ("delattr", "getattr", "hasattr", "setattr"):
        setattr(builtins, name, Collecting(getattr(builtins, name), 1, names))
    importlib.import_module = Collecting(importlib.import_module, 0, names)

    def write():
        with open_output(names_output) as file:
            for name in sorted(names):
                file.write(name.encode("utf-8", "surrogateescape") + b"\0")

    writers.append(write)


atexit.register(write_at_end)
if hasattr(sys, "monitoring"):
    count_lines(sys.monitoring)
collect_names()
