import sys

from shelf import choices, values

runs = [getattr(values, name, None) or getattr(choices, name) for name in sys.argv[2:]]
for _ in range(int(sys.argv[1])):
    for run in runs:
        run()
