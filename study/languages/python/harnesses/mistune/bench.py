"""Documents of blocks and of spans: rendered as HTML."""

import os
import sys

# The version that is measured, where its package is.
checkout = os.environ["LITO_CHECKOUT"]
sys.path[:0] = [os.path.join(checkout, "src"), checkout]

import mistune

BLOCKS = """Title
=====

> quoted *text*
> goes on

* one
* two
  1. nested
  2. list

```c
int main(void);
```

    indented

<div>
raw
</div>

| left | right |
|:-----|------:|
| a    | b     |

***

"""
SPANS = """Some *emphasis* and **strong _nested_ text**, `code`, a [link](https://example.org/a "title"), ![image](b.png), &amp;
&copy; \\* escaped, <https://example.org>, a [reference][one].
Hard break; ***both***, ``a ` tick``, ~~gone~~.

"""

text = BLOCKS * 25 if sys.argv[1] == "blocks" else SPANS * 40
for _ in range(int(sys.argv[2])):
    assert mistune.html(text + "[one]: https://example.org/one\n")
