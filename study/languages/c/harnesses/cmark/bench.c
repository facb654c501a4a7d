// A document with everything: parsed, and rendered in two ways.

#include <stdlib.h>
#include <string.h>

#include "cmark.h"

static const char *PART =
    "Title\n=====\n\n> quoted *text*\n> goes on\n\n* one\n* two\n  1. nested\n  2. list\n\n```c\nint main(void);\n```\n\n    indented\n\n"
    "<div>\nraw\n</div>\n\n***\n\nSome *emphasis* and **strong _nested_ text**, `code`, a [link](https://example.org/a \"title\"), "
    "![image](b.png), &amp; &copy; \\* escaped, <https://example.org>, a [reference][one].  \nHard break; ***both***.\n\n"
    "[one]: https://example.org/one\n\n";

enum { TIMES = 60 };

__attribute__((noinline, noclone)) char *subject(const char *what, const char *text, size_t length) {
    cmark_node *document = cmark_parse_document(text, length, CMARK_OPT_DEFAULT);
    char *out = strcmp(what, "html") == 0 ? cmark_render_html(document, CMARK_OPT_DEFAULT)
                                          : cmark_render_commonmark(document, CMARK_OPT_DEFAULT, 72);
    cmark_node_free(document);
    return out;
}

int main(int count, char **arguments) {
    size_t part = strlen(PART);
    char *text = malloc(part * TIMES);
    for (int i = 0; i < TIMES; i++)
        memcpy(text + i * part, PART, part);
    return count < 2 || !subject(arguments[1], text, part * TIMES);
}
