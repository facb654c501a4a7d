#!/usr/bin/env python3
"""Runs the examples of the documentation: every fenced block of the language `console`.

A line that begins with `$ ` is a command (a `\\` at its end continues it); the lines below it are what it prints, standard
output and standard error together. Each page runs from top to bottom in one shell, in a repository of its own (see
tally.sh) whose history is sampled. A command must succeed, unless the command below it is `echo $?`.

How the shown lines are compared with the printed ones:
- a line `...` stands for any number of lines, `...` within a line for any text;
- whole numbers below 100 must be equal; larger ones, fractions, percentages, sizes and times match any other: they depend
  on the machine and the compiler;
- runs of spaces are equal, and the home folder is `~`.

Directives, as comments in the page:
- `<!-- examples: fresh -->`: the history of the page's repository is not sampled.
- `<!-- examples: clone ADDRESS REVISION -->`: the page runs in a clone, and only with `--online` or `--clones`.
- `<!-- example: not run: REASON -->` before a block: the block is only shown.

Needs no network without `--online`. Exit status 1: an example differs.
"""

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TALLY = Path(__file__).resolve().parent / "tally.sh"

# Seconds that the examples of one page may take together.
PAGE_LIMIT = 1800

# How similar a printed line must be to a shown one for `--bless` to put it in its place.
SIMILAR = 0.5

# Separates the commands in what the shell prints; no program prints it.
MARK = "\x1e"

NOT_RUN = re.compile(r"<!-- example: not run: .+ -->")
PAGE = re.compile(r"<!-- examples: (fresh|clone (\S+) (\S+)) -->")


@dataclass
class Command:
    """A command of a block: the lines of its text and of what it prints, as indices into the page."""

    text: str
    line: int
    first: int
    shown: list = field(default_factory=list)
    any_status: bool = False


def commands(lines):
    """The commands of all blocks of a page that are run."""
    found = []
    index, skip = 0, False
    while index < len(lines):
        line = lines[index].strip()
        if NOT_RUN.fullmatch(line):
            skip = True
        elif line == "```console":
            index += 1
            block = []
            while lines[index].strip() != "```":
                if lines[index].startswith("$ "):
                    start, text = index, lines[index][2:]
                    while text.endswith("\\"):
                        index += 1
                        text = text[:-1] + lines[index].lstrip("> ")
                    block.append(Command(text, start, index + 1))
                elif block:
                    block[-1].shown.append(lines[index])
                else:
                    sys.exit(f"examples: line {index + 1}: a block begins with a command: {lines[index]}")
                index += 1
            for one, after in zip(block, block[1:]):
                one.any_status = after.text == "echo $?"
            if not skip:
                found.extend(block)
            skip = False
        elif line:
            skip = False
        index += 1
    return found


def plain(line):
    """A line as it is compared."""
    line = re.sub(r"\b\d+ min( \d+ s)?\b", "#", line)

    def number(match):
        token = match.group(0)
        return token if token.isdigit() and int(token) < 100 else "#"

    line = re.sub(r"(?<![\w.])[-+−]?\d+(\.\d+)*( ?(k|M|G|ms|µs|s|B|kB|MB|GB)\b)?[%×]?(?!\w)", number, line)
    return re.sub(r"\s+", " ", line).strip()


def is_like(shown, printed):
    """Whether a printed line is as a shown one, `...` for any text."""
    parts = [re.escape(part) for part in plain(shown).split("...")]
    return re.fullmatch(".*".join(parts), plain(printed)) is not None


def matches(shown, printed):
    """Whether printed lines are as shown, `...` for any number of them."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and is_like(shown[0], printed[0]) and matches(shown[1:], printed[1:])


def without_empty_ends(lines):
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def blessed(shown, printed):
    """The shown lines with those that differ replaced by the printed lines that are most like them, in order."""
    if "..." not in shown:
        return printed
    result, start = [], 0
    for line in shown:
        best = None
        if line != "...":
            likeness = [
                (difflib.SequenceMatcher(None, plain(line), plain(one)).ratio(), -at)
                for at, one in enumerate(printed)
                if at >= start
            ]
            best = max(likeness, default=None)
        if best and best[0] >= SIMILAR:
            at = -best[1]
            line, start = line if is_like(line, printed[at]) else printed[at], at + 1
        result.append(line)
    return result


class Machine:
    """The programs, folders and variables that examples run with."""

    def __init__(self, lito, work):
        self.work = work
        programs = work / "programs"
        programs.mkdir()
        (programs / "lito").symlink_to(lito)
        home = Path.home()
        self.variables = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "CARGO_HOME": os.environ.get("CARGO_HOME", str(home / ".cargo")),
            "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(home / ".rustup")),
            "GIT_CONFIG_GLOBAL": str(work / "gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LANG": "C.UTF-8",
        }
        for name in ("RUSTUP_TOOLCHAIN", "TMPDIR", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"):
            if name in os.environ:
                self.variables[name] = os.environ[name]
        (work / "gitconfig").write_text("[user]\nname = you\nemail = you@example.test\n[advice]\ndetachedHead = false\n")
        self.sampled = None

    def run(self, script, home, folder, offline=True, limit=PAGE_LIMIT):
        variables = self.variables | {"HOME": str(home), "LITO_CACHE": str(home / ".cache/lito")}
        if offline:
            variables["CARGO_NET_OFFLINE"] = "true"
        return subprocess.run(
            ["bash", "-c", script],
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit,
            text=True,
        )

    def repository(self, page, directive):
        """The home folder and the repository that a page runs in."""
        home = self.work / re.sub(r"\W", "-", str(page))
        if directive and directive[0].startswith("clone"):
            _, address, revision = directive
            home.mkdir()
            folder = home / Path(address).name.removesuffix(".git")
            git = ["git", "-c", "advice.detachedHead=false"]
            subprocess.run([*git, "clone", "--quiet", address, str(folder)], check=True)
            subprocess.run([*git, "-C", str(folder), "switch", "--quiet", "--create", "examples", revision], check=True)
            return home, folder
        if directive:
            home.mkdir()
            subprocess.run([str(TALLY), str(home / "tally")], check=True)
        else:
            if self.sampled is None:
                self.sampled = self.work / "sampled"
                self.sampled.mkdir()
                subprocess.run([str(TALLY), str(self.sampled / "tally")], check=True)
                done = self.run("lito sample --last 8 --every 4", self.sampled, self.sampled / "tally")
                if done.returncode:
                    sys.exit(f"examples: sampling the repository of the examples failed:\n{done.stdout}")
                shutil.rmtree(self.sampled / ".cache")
            shutil.copytree(self.sampled, home, symlinks=True)
        origin = home / "origin.git"
        subprocess.run(["git", "clone", "--quiet", "--bare", str(home / "tally"), str(origin)], check=True)
        subprocess.run(["git", "-C", str(home / "tally"), "remote", "add", "origin", str(origin)], check=True)
        return home, home / "tally"


def script(found):
    parts = ["(exit 0)"]
    for at, command in enumerate(found):
        parts.append(f"{{ {command.text}\n}}; status=$?; printf '\\n{MARK}%d {at}\\n' $status; (exit $status)")
    return "\n".join(parts)


def check(page, machine, bless):
    """How many commands of a page were run, and the failures among them as texts."""
    lines = page.read_text().split("\n")
    found = commands(lines)
    if not found:
        return 0, []
    match = PAGE.search("\n".join(lines))
    directive = None if match is None else (match.group(1), match.group(2), match.group(3))
    home, folder = machine.repository(page.relative_to(ROOT), directive)
    online = bool(directive) and directive[0].startswith("clone")
    done = machine.run(script(found), home, folder, offline=not online)
    printed, statuses, lines_of = [], [], []
    for line in done.stdout.replace(str(home), "~").split("\n"):
        mark = re.fullmatch(rf"{MARK}(\d+) (\d+)", line)
        if mark:
            statuses.append(int(mark.group(1)))
            printed.append(without_empty_ends(lines_of))
            lines_of = []
        else:
            lines_of.append(line)
    failures, replaced = [], []
    for command, out, status in zip(found, printed, statuses):
        shown = without_empty_ends(command.shown)
        where = f"{page.relative_to(ROOT)}:{command.line + 1}: $ {command.text}"
        if status and not command.any_status:
            failures.append(f"{where}\nended with {status}:\n" + "\n".join(out))
        elif not matches(shown, out):
            if bless:
                replaced.append((command, blessed(shown, out)))
            difference = difflib.unified_diff(shown, out, "shown", "printed", lineterm="", n=1)
            failures.append(f"{where}\n" + "\n".join(difference))
    if len(statuses) < len(found):
        command = found[len(statuses)]
        failures.append(f"{page.relative_to(ROOT)}:{command.line + 1}: the shell ended in it: {command.text}")
    for command, new in reversed(replaced):
        lines[command.first : command.first + len(command.shown)] = new
    if replaced:
        page.write_text("\n".join(lines))
    return len(found), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lito", type=Path, help="the lito program")
    parser.add_argument("pages", type=Path, nargs="*", help="pages to check; all of them if none is given")
    parser.add_argument("--bless", action="store_true", help="write what is printed into the pages; read the difference")
    parser.add_argument("--online", action="store_true", help="run the pages that need a clone, too")
    parser.add_argument("--keep", action="store_true", help="keep the folder that the examples ran in")
    arguments = parser.parse_args()
    pages = [page.resolve() for page in arguments.pages]
    pages = pages or [ROOT / "README.md", *sorted((ROOT / "docs/src").rglob("*.md"))]
    work = Path(tempfile.mkdtemp(prefix="lito-examples-"))
    machine = Machine(arguments.lito.resolve(strict=True), work)
    total, failed = 0, 0
    try:
        for page in pages:
            match = PAGE.search(page.read_text())
            if match and match.group(2) and not arguments.online:
                print(f"examples: {page.relative_to(ROOT)}: not run: it needs {match.group(2)}; --online runs it")
                continue
            run, failures = check(page, machine, arguments.bless)
            if run:
                print(f"examples: {page.relative_to(ROOT)}: {run} commands, {len(failures)} failures", flush=True)
            for failure in failures:
                print(failure, file=sys.stderr)
            total, failed = total + run, failed + len(failures)
    finally:
        if arguments.keep:
            print(f"examples: kept {work}")
        else:
            shutil.rmtree(work, ignore_errors=True)
    print(f"examples: {total} commands were run, {failed} failed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
