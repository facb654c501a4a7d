#!/usr/bin/env python3
"""What a long history and a wide suite take, from measured costs.

    benches/scale.py [--versions 10000] [--benchmarks 500] [REPOSITORY...]

Seconds of builds and of counted runs are those of the accuracy study, from the results in study/results. Bytes are those of the
stores of the repositories that are named, as git has them on disk: run `git gc` there before.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def measured():
    """Seconds of builds, seconds of counted runs, and the share of the runs that count as the version before did."""
    builds, runs, same, compared = [], [], 0, 0
    for file in sorted((ROOT / "study/results/commits").glob("*/measured.jsonl")):
        before = {}
        for line in file.read_text().splitlines():
            version = json.loads(line)
            builds.append(version["build"])
            counts = {}
            for name, benchmark in version["benchmarks"].items():
                if "ir" not in benchmark:
                    continue
                runs.append(benchmark["s"])
                counts[name] = benchmark["ir"]
                compared += name in before
                same += before.get(name) == benchmark["ir"]
            before = counts
    return builds, runs, same / compared


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True, text=True).stdout


def stored(repository):
    """Versions, profiled benchmarks, and the bytes on disk of everything that the store's newest state leads to."""
    listed = git(repository, "ls-tree", "-r", "refs/lito/store", "samples/").splitlines()
    records = [line.split()[2] for line in listed]
    profiled = sum(git(repository, "cat-file", "blob", record).count('"profile"') for record in records)
    size = git(repository, "rev-list", "--objects", "--disk-usage", "--no-walk", "refs/lito/store")
    return len(records), profiled, int(size)


def time(seconds):
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--versions", type=int, default=10_000)
    parser.add_argument("--benchmarks", type=int, default=500)
    parser.add_argument("repositories", nargs="*", metavar="REPOSITORY")
    asked = parser.parse_args()

    builds, runs, same = measured()
    build, run = statistics.median(builds), statistics.mean(runs)
    print(f"{len(builds)} versions of the study: a build takes {build:.2f} s (median), a counted run {run:.2f} s (mean)")
    print(f"{same:.0%} of the runs count what the version before did")

    # Two builds, the optimised one and the one that counts.
    version = 2 * build + asked.benchmarks * run
    print(f"\n{asked.benchmarks} benchmarks: {time(version)} a version")
    print("every   versions   1 node      10 nodes    100 nodes")
    for every in (1, 20, 100):
        sampled = asked.versions // every
        times = "".join(f"{time(sampled * version / nodes):<12}" for nodes in (1, 10, 100))
        print(f"{every:<8}{sampled:<11}{times}".rstrip())

    for repository in asked.repositories:
        versions, profiled, size = stored(repository)
        print(
            f"\n{pathlib.Path(repository).name}: {versions} versions, {profiled} profiled benchmarks: "
            f"{size / profiled / 1000:.1f} kB for each"
        )
        for every in (1, 20, 100):
            total = asked.versions // every * asked.benchmarks * size / profiled
            print(f"  {asked.versions} versions, every {every}: {total / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
