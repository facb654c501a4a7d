#!/usr/bin/env python3
"""Keeps the page of commands equal to `lito <command> --help`.

The page reference/commands.md has a pair of comments for each command, `<!-- help: sample -->` and `<!-- end -->`; between
them stands the command's help, without the options that every command takes. They stand once, at `<!-- help: * -->`.

    docs/check/commands.py LITO          exit status 1: the page is not current
    docs/check/commands.py LITO --write  writes the page
"""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "src/reference/commands.md"
EVERYWHERE = ("--repo", "--verbose", "--quiet", "--color", "--help", "--version")
OPTION = re.compile(r"^ {2,6}-")


def help_of(lito, words):
    done = subprocess.run([lito, *words, "--help"], capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n").split("\n")


def split(lines):
    """The lines before the options, and one list of lines for each option."""
    before, options = [], []
    for line in lines:
        if OPTION.match(line):
            options.append([line])
        elif options and (line.startswith(" ") or not line):
            options[-1].append(line)
        elif not options:
            before.append(line)
    return before, options


def name(option):
    return re.search(r"--[a-z-]+", option[0]).group(0)


def own(lito, words):
    before, options = split(help_of(lito, words))
    options = [option for option in options if name(option) not in EVERYWHERE]
    while before and before[-1] in ("", "Options:"):
        before.pop()
    if options:
        before += ["", "Options:"] + [line for option in options for line in option]
    return before


def shared(lito):
    return [line for option in split(help_of(lito, []))[1] for line in option]


def subcommands(lito, words):
    """The names of the commands below one, as its help lists them."""
    lines = help_of(lito, words)
    if "Commands:" not in lines:
        return []
    names = []
    for line in lines[lines.index("Commands:") + 1 :]:
        if not line:
            break
        match = re.match(r"^ {2}([a-z]+) ", line)
        if match and match.group(1) != "help":
            names.append([*words, match.group(1)])
    return names


def listed(lito):
    """Every command that does something by itself."""
    result = []
    for words in subcommands(lito, []):
        result.extend(subcommands(lito, words) or [words])
    return result


def main():
    lito, write = sys.argv[1], "--write" in sys.argv[2:]
    text = PAGE.read_text()
    seen = []

    def block(match):
        words = match.group(1).split()
        seen.append(words)
        lines = shared(lito) if words == ["*"] else own(lito, words)
        body = "\n".join(line.rstrip() for line in lines).strip("\n")
        return f"<!-- help: {match.group(1)} -->\n\n```text\n{body}\n```\n\n<!-- end -->"

    new = re.sub(r"<!-- help: ([a-z* ]+) -->\n.*?<!-- end -->", block, text, flags=re.DOTALL)
    missing = [" ".join(words) for words in listed(lito) if words not in seen]
    if missing:
        print(f"commands: {PAGE.name} lacks `<!-- help: ... -->` for: {', '.join(missing)}", file=sys.stderr)
        return 1
    if new == text:
        print(f"commands: {len(seen)} blocks are current")
        return 0
    if write:
        PAGE.write_text(new)
        print(f"commands: wrote {PAGE}")
        return 0
    print(f"commands: {PAGE} is not current; `docs/check/commands.py LITO --write` writes it", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
