// Documents of blocks, of spans and of tables: rendered as HTML.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "md4c.h"
#include "md4c-html.h"

static const char *BLOCKS =
    "Title\n=====\n\n> quoted text\n> goes on\n\n* one\n* two\n  1. nested\n  2. list\n\n```c\nint main(void);\n```\n\n    indented\n\n"
    "<div>\nraw\n</div>\n\n***\n\n";
static const char *SPANS =
    "Some *emphasis* and **strong _nested_ text**, `code`, a [link](https://example.org/a \"title\"), ![image](b.png), &amp; "
    "&copy; \\* escaped, <https://example.org>, a [reference][one].  \nHard break; ***both***, ``a ` tick``.\n\n";
static const char *TABLES = "| left | right | *both* |\n|:-----|------:|:------:|\n| a | b | c |\n| `x` | **y** | z |\n\n~~gone~~\n\n";

struct text {
    char *bytes;
    size_t length;
};

static void append(const MD_CHAR *bytes, MD_SIZE length, void *to) {
    struct text *text = to;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static struct text repeated(const char *part, int times) {
    struct text text = {malloc(strlen(part) * times + 64), 0};
    for (int i = 0; i < times; i++)
        append(part, strlen(part), &text);
    append("[one]: https://example.org/one\n", 31, &text);
    return text;
}

__attribute__((noinline, noclone)) int subject(struct text in, struct text *out, unsigned flags) {
    return md_html(in.bytes, in.length, append, out, flags, 0);
}

int main(int count, char **arguments) {
    if (count < 2)
        return 1;
    int blocks = strcmp(arguments[1], "blocks") == 0, tables = strcmp(arguments[1], "tables") == 0;
    struct text in = repeated(blocks ? BLOCKS : tables ? TABLES : SPANS, 150);
    struct text out = {malloc(in.length * 20), 0};
    return subject(in, &out, tables ? MD_DIALECT_GITHUB : MD_DIALECT_COMMONMARK);
}
