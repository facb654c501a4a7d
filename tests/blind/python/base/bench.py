import sys

from shelf import choices, values

run = getattr(values, sys.argv[1], None) or getattr(choices, sys.argv[1])
for _ in range(int(sys.argv[2])):
    run()
