import sys

print(sys.implementation.name)
print("%d.%d.%d" % sys.version_info[:3])
print(sys.executable)
try:
    sys.activate_stack_trampoline("perf")
    sys.deactivate_stack_trampoline()
    print("named")
except (AttributeError, ValueError, RuntimeError, OSError):
    print("unnamed")
import sysconfig

for name in ("stdlib", "platstdlib", "purelib", "platlib"):
    print(sysconfig.get_path(name) or "")
