"""Documents of tables and of values: parsed."""

import os
import sys

# The version that is measured, where its package is.
checkout = os.environ["LITO_CHECKOUT"]
sys.path[:0] = [os.path.join(checkout, "src"), checkout]

import tomli

TABLES = "".join(
    f"""
[server.node{i}]
host = "node{i}.example.org"  # a comment
port = {8000 + i}
enabled = true

[[server.node{i}.disk]]
name = 'disk "{i}"'
size = {i}.5
"""
    for i in range(100)
)
VALUES = "".join(
    f"""
integer{i} = {i * 7919}
hexadecimal{i} = 0x{i:x}
float{i} = {i}.25e3
date{i} = 2021-06-0{i % 9 + 1}T12:30:00Z
array{i} = [1, 2, [3, "four", 5.0], {{ a = 1, b = "two" }}]
text{i} = "escaped \\t\\u00e4 \\"text\\""
long{i} = \"\"\"
several
lines \"\"\"
dotted.key{i}.name = "x"
"""
    for i in range(60)
)

for _ in range(int(sys.argv[2])):
    assert tomli.loads(TABLES if sys.argv[1] == "tables" else VALUES)
