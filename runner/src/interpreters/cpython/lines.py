# Counts how often each line runs, and writes the counts when the program ends. Python loads it at its start by its name,
# sitecustomize. The variables tell the file to write, the folders whose code is left out, and whether lines count only between
# two calls of os.ctermid. Each entry of the output is a file, a line and a count; all parts end with a zero byte.
import os
import sys

here = os.path.dirname(__file__)
output = os.environ.pop("LITO_LINES_OUTPUT")
is_marked = os.environ.pop("LITO_LINES_MARKED") == "yes"
left_out = ("<", here, *filter(None, os.environ.pop("LITO_LINES_LEFT_OUT").split(os.pathsep)))

# The program finds its own folders, and its own module of this name.
sys.path[:] = [folder for folder in sys.path if folder != here]
rest = os.environ.pop("LITO_LINES_PATH")
if rest:
    os.environ["PYTHONPATH"] = rest
else:
    del os.environ["PYTHONPATH"]
module = sys.modules.pop("sitecustomize")
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = module


def count_lines(monitoring):
    import atexit

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

    process = os.getpid()

    def write():
        if os.getpid() != process:
            return
        monitoring.set_events(tool, 0)
        most = {}
        for (code, number, _), count in counts.items():
            key = code.co_filename, number
            most.setdefault(key, {}).setdefault(code, 0)
            most[key][code] = max(most[key][code], count)
        with open(output, "wb") as file:
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
    atexit.register(write)
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


if hasattr(sys, "monitoring"):
    count_lines(sys.monitoring)
