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
# Needed by counting_switch() in calls.py.
try:
    import ctypes
    import mmap
    import platform

    mmap.mmap(-1, 1, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()
    print("turned" if platform.machine() == "x86_64" and ctypes.sizeof(ctypes.c_void_p) == 8 else "unturned")
except (ImportError, OSError, PermissionError):
    print("unturned")
import sysconfig

for name in ("stdlib", "platstdlib", "purelib", "platlib"):
    print(sysconfig.get_path(name) or "")
