"""Documents of tables and of values: parsed. `bench.py DOCUMENT ROUNDS`"""

import os
import sys

# The library as it is at the version that is measured.
checkout = os.environ["LITO_CHECKOUT"]
sys.path[:0] = [os.path.join(checkout, "src"), checkout]

import tomli

DOCUMENTS = {
    "tables": "".join(
        f'[site.page{i}]\ntitle = "page {i}"  # a comment\n\n[[site.page{i}.link]]\nto = "page{i + 1}"\nnew = true\n'
        for i in range(80)
    ),
    "values": "".join(
        f"whole{i} = {i * 7919}\nfraction{i} = {i}.25e3\nday{i} = 2021-06-0{i % 9 + 1}T12:30:00Z\n"
        f"list{i} = [1, 2, [3, 4.5], {{ a = 1, b = -2 }}]\nescaped{i} = \"a\\t\\u00e4 \\\"text\\\"\"\nliteral{i} = 'C:\\path{i}'\n"
        f'long{i} = """\nseveral\nlines of text \\\n   joined"""\n'
        for i in range(40)
    ),
}

for _ in range(int(sys.argv[2])):
    assert tomli.loads(DOCUMENTS[sys.argv[1]])
