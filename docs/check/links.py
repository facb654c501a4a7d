#!/usr/bin/env python3
"""Checks that links lead somewhere: in the markdown files of the repository, and in the built book.

    docs/check/links.py [BOOK]    BOOK: the folder with the built book; without it, only the markdown files are checked

Of a markdown file: each relative link and picture names a file of the repository, each anchor a heading in it. Of the
book: each relative link names a page or file of the book, each anchor an element. Addresses of other sites are not opened.
"""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]

# Markdown that is input or output of a program, not documentation.
LEFT_OUT = re.compile(r"^(tests/|study/tables/|docs/pictures/|[^/]*/fixtures/)|/data/")


def without_code(text):
    """The text with fenced blocks and code spans emptied, lines kept."""
    out, fence = [], None
    for line in text.split("\n"):
        match = re.match(r"\s*(`{3,}|~{3,})", line)
        if match and fence is None:
            fence = match.group(1)
            line = ""
        elif fence is not None:
            if match and match.group(1).startswith(fence):
                fence = None
            line = ""
        out.append(re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    return "\n".join(out)


def slug(heading):
    """The anchor of a heading, as GitHub and mdBook make it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    kept = [c if c.isalnum() or c in "_-" else "-" if c == " " else "" for c in heading.strip().lower()]
    return "".join(kept)


def anchors(path):
    found, fenced = {}, False
    for line in path.read_text().split("\n"):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        match = None if fenced else re.match(r"#{1,6} +(.*?)(?: *\{#([\w-]+)\})? *#*$", line)
        if match:
            name = match.group(2) or slug(match.group(1))
            found[name] = found.get(name, -1) + 1
    numbered = {f"{name}-{n}" for name, last in found.items() for n in range(1, last + 1)}
    return set(found) | numbered


LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
TAG = re.compile(r"<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\"")


def is_elsewhere(target):
    parts = urlsplit(target)
    return bool(parts.scheme or parts.netloc)


def of_sources():
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        capture_output=True,
        text=True,
        check=True,
    )
    checked, broken = 0, []
    for name in listed.stdout.split("\n"):
        path = ROOT / name
        if not name or LEFT_OUT.search(name) or not path.is_file():
            continue
        text = without_code(path.read_text())
        links = [(m.start(), m.group(1) or m.group(2)) for m in LINK.finditer(text)]
        links += [(m.start(), m.group(1)) for m in TAG.finditer(text)]
        for start, target in links:
            if is_elsewhere(target):
                continue
            checked += 1
            where = f"{name}:{text.count(chr(10), 0, start) + 1}"
            parts = urlsplit(target)
            file = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if not file.is_relative_to(ROOT) or not file.exists():
                broken.append(f"{where}: {target}: there is no such file")
            elif parts.fragment and file.suffix == ".md" and parts.fragment not in anchors(file):
                broken.append(f"{where}: {target}: there is no such heading")
    return checked, broken


class Page(HTMLParser):
    """The identifiers and the links of a page."""

    def __init__(self, text):
        super().__init__()
        self.identifiers, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.identifiers.add(value)
            if name in ("href", "src", "srcset") and value:
                self.links.append(value)


def of_book(book):
    pages = {path.resolve(): Page(path.read_text()) for path in book.rglob("*.html")}
    checked, broken = 0, []
    for path, page in sorted(pages.items()):
        # All chapters once more on one page; the page for missing addresses, whose links begin at the site's root.
        if path.name in ("print.html", "404.html", "toc.html"):
            continue
        for target in page.links:
            if is_elsewhere(target) or target.startswith("/"):
                continue
            checked += 1
            parts = urlsplit(target)
            file = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if file.is_dir():
                file = file / "index.html"
            where = path.relative_to(book)
            if not file.exists():
                broken.append(f"{where} (book): {target}: there is no such page")
            elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].identifiers:
                broken.append(f"{where} (book): {target}: there is no such anchor")
    return checked, broken


def main():
    counts, broken = [], []
    for place, (checked, broken_there) in results(sys.argv[1:]):
        if not checked:
            broken_there = [f"no link was found in {place}"]
        counts.append(f"{checked} in {place}")
        broken += broken_there
    for one in broken:
        print(f"links: {one}", file=sys.stderr)
    print(f"links: {', '.join(counts)}; {len(broken)} lead nowhere")
    return 1 if broken else 0


def results(books):
    yield "markdown", of_sources()
    for book in books:
        yield "the book", of_book(Path(book).resolve(strict=True))


if __name__ == "__main__":
    sys.exit(main())
