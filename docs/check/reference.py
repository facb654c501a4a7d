#!/usr/bin/env python3
"""Keeps the reference equal to the program: the page of commands, and the keys of the page of settings.

The page reference/commands.md has a pair of comments for each command, `<!-- help: sample -->` and `<!-- end -->`; between
them stands the command's help, without the options that every command takes. They stand once, at `<!-- help: * -->`. The
page reference/settings.md has a row for each key of `lito schema`, under a heading for each table.

    docs/check/reference.py LITO          exit status 1: a page is not current
    docs/check/reference.py LITO --write  writes the page of commands
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

PAGES = Path(__file__).resolve().parents[1] / "src/reference"
PAGE = PAGES / "commands.md"
EVERYWHERE = ("--repo", "--verbose", "--quiet", "--color", "--help", "--version")
OPTION = re.compile(r"^ {2,6}-")
EXAMPLES = re.compile(r"^Examples?:$")


def printed(lito, words):
    # Help shows the values of variables that are set.
    variables = {"PATH": os.environ["PATH"]}
    return subprocess.run([lito, *words], capture_output=True, text=True, check=True, env=variables).stdout


def help_of(lito, words):
    return printed(lito, [*words, "--help"]).rstrip("\n").split("\n")


def split(lines):
    """The lines before the options, one list of lines for each option, and the lines from the examples on."""
    before, options = [], []
    for number, line in enumerate(lines):
        if EXAMPLES.match(line):
            return before, options, lines[number:]
        if OPTION.match(line):
            options.append([line])
        elif options and (line.startswith(" ") or not line):
            options[-1].append(line)
        elif not options:
            before.append(line)
    return before, options, []


def name(option):
    return re.search(r"--[a-z-]+", option[0]).group(0)


def own(lito, words):
    before, options, examples = split(help_of(lito, words))
    options = [option for option in options if name(option) not in EVERYWHERE]
    while before and before[-1] in ("", "Options:", "Global options:"):
        before.pop()
    if options:
        before += ["", "Options:"] + [line for option in options for line in option]
    while before and not before[-1]:
        before.pop()
    return before + [""] + examples


def shared(lito):
    return [line for option in split(help_of(lito, []))[1] for line in option]


def subcommands(lito, words):
    """The names of the commands below one, as its help lists them."""
    if words and "Commands:" not in help_of(lito, words):
        return []
    names = []
    for line in split(help_of(lito, words))[0]:
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


def keys(lito):
    """The keys of lito.toml, each with its table."""
    schema = json.loads(printed(lito, ["schema"]))
    found = set()
    for table, value in schema["properties"].items():
        found |= {(table, key) for key in properties(schema, value)}
    return found


def properties(schema, value):
    """The properties of a table, or of each table of a list, wherever references lead."""
    while "properties" not in value:
        reference = value.get("$ref")
        value = schema["$defs"][reference.rsplit("/", 1)[1]] if reference else value["items"]
    return value["properties"]


def documented():
    """The keys that the page of settings has rows for, each with the table that its heading names."""
    found, table = set(), None
    for line in (PAGES / "settings.md").read_text().split("\n"):
        heading = re.match(r"## `\[+(\w+)\]+`", line)
        row = re.match(r"\| `(\w+)` \|", line)
        if heading:
            table = heading.group(1)
        elif row and table:
            found.add((table, row.group(1)))
    return found


def check_settings(lito):
    wanted, found = keys(lito), documented()
    for table, key in sorted(wanted - found):
        print(f"reference: settings.md lacks `{key}` of [{table}]", file=sys.stderr)
    for table, key in sorted(found - wanted):
        print(f"reference: settings.md has `{key}` of [{table}], which lito does not know", file=sys.stderr)
    print(f"reference: settings.md has {len(found & wanted)} of {len(wanted)} keys")
    return wanted == found


def check_commands(lito, write):
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
        print(f"reference: {PAGE.name} lacks `<!-- help: ... -->` for: {', '.join(missing)}", file=sys.stderr)
        return False
    if new == text:
        print(f"reference: {PAGE.name} is current: {len(seen)} blocks")
        return True
    if write:
        PAGE.write_text(new)
        print(f"reference: wrote {PAGE}")
        return True
    print(f"reference: {PAGE} is not current; `docs/check.sh --write` writes it", file=sys.stderr)
    return False


def main():
    lito, write = sys.argv[1], "--write" in sys.argv[2:]
    results = [check_commands(lito, write), check_settings(lito)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
