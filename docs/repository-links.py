#!/usr/bin/env python3
"""A preprocessor of mdBook: links from the book to files of the repository.

In the sources such a link is relative (`../../../CONTRIBUTING.md`), so that it works where the repository is browsed. The
book does not hold these files. Where `output.html.git-repository-url` is set (a variable does:
MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL), the link leads to the file there; where it is not, the text of the link is left.
"""

import json
import posixpath
import re
import sys

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((\.\.?/[^)\s#]+)(#[^)\s]*)?\)")


def rewritten(content, folder, source, address):
    """The content with links out of the folder `source` (relative to the repository's root) replaced."""

    def replace(match):
        text, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        path = posixpath.normpath(posixpath.join(source, folder, target))
        if path == source or path.startswith(source + "/"):
            return match.group(0)
        return f"[{text}]({address}/blob/HEAD/{path}{anchor})" if address else text

    return LINK.sub(replace, content)


def walk(items, source, address):
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter and chapter.get("path"):
            folder = posixpath.dirname(chapter["path"])
            chapter["content"] = rewritten(chapter["content"], folder, source, address)
            walk(chapter["sub_items"], source, address)


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    context, book = json.load(sys.stdin)
    html = context["config"].get("output", {}).get("html", {})
    source = "docs/" + context["config"].get("book", {}).get("src", "src")
    walk(book["items"], source, (html.get("git-repository-url") or "").rstrip("/"))
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
