#!/bin/sh
# Scoring in a repository of many lines: the last 100 versions of a real history, one version with its explanation, and
# one change that touches every Rust file.
#
#   benches/large.sh CLONE [CLONE...]
#
# The first clone has the history; the newest trees of the others stand beside it in folders of their own, in each of its last
# versions, so that the lines of all add up. None is written to: what is measured is in target/bench-large, which borrows
# their objects. LITO is the program, target/release/lito unless the environment says otherwise.
#
# Prints lines, times on the clock and peaks of memory, beside git's for the same.
set -eu
export LC_ALL=C

versions=100
root=$(cd "$(dirname "$0")/.." && pwd)
lito=$(realpath "${LITO:-$root/target/release/lito}")
kept=$root/target/bench-large
[ $# -gt 0 ] || { sed -n '2,/^set/p' "$0" | sed '$d' >&2; exit 2; }
rm -rf "$kept"
mkdir -p "$kept"
git init --quiet --bare --initial-branch=main "$kept/repository"
for clone in "$@"; do
    echo "$(git -C "$clone" rev-parse --path-format=absolute --git-common-dir)/objects"
done > "$kept/repository/objects/info/alternates"
newest=$(git -C "$1" rev-parse HEAD)
shift
others=
for clone in "$@"; do
    others="$others$(printf '040000 tree %s\tbeside-%s' "$(git -C "$clone" rev-parse 'HEAD^{tree}')" "$(echo "$others" | wc -l)")
"
done
export GIT_DIR="$kept/repository" GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@localhost \
    GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@localhost

# committed TREE PARENT TIME: a commit; no parent where it is empty.
committed() {
    GIT_AUTHOR_DATE="$3 +0000" GIT_COMMITTER_DATE="$3 +0000" git commit-tree ${2:+-p "$2"} -m . "$1"
}

tip=
time=0
for version in $(git log --first-parent --reverse -n $((versions + 1)) --format=%H "$newest"); do
    time=$(git log -1 --format=%ct "$version")
    tree=$({ git ls-tree "$version" && printf %s "$others"; } | git mktree)
    tip=$(committed "$tree" "$tip" "$time")
done
git update-ref refs/heads/main "$tip"

# every PROGRAM REF: a commit upon main with each Rust file changed by an awk program.
every() {
    git ls-tree -r -z main | tr '\0' '\n' | awk '/^100[67][45][45] blob / && /\.rs$/ { print }' > "$kept/files"
    {
        printf 'commit %s\ncommitter bench <bench@localhost> %d +0000\ndata 1\n.\nfrom %s\n' "$2" $((time + 60)) "$tip"
        awk '{ print $3 }' "$kept/files" | git cat-file --batch='%(objectname)' > "$kept/contents"
        # A file's content ends where the next one's name begins a line.
        awk -v files="$kept/files" '
            function flush() {
                if (path != "") printf "M 100644 inline %s\ndata %d\n%s\n", path, length(text), text
            }
            BEGIN { while ((getline line < files) > 0) {
                split(line, halves, "\t"); split(halves[1], words, " ")
                ids[++count] = words[3]; paths[count] = halves[2] } next_file = 1 }
            $0 == ids[next_file] { flush(); path = paths[next_file++]; text = ""; next }
            { '"$1"'; text = text line "\n" }
            END { flush() }' "$kept/contents"
    } | git fast-import --quiet --force
}

# A constant in each line with a number, and a statement at the start of each function that opens at the end of a line.
every 'line = $0; if (line ~ /^ *(pub )?(const )?fn .*\{$/) line = line " let _ = 1 + 1;"' refs/heads/statement
every 'line = $0 " "; if (NR % 3 == 0) sub(/^/, " ", line)' refs/heads/layout

# timed NAME COMMAND...: its time and peak.
timed() {
    name=$1
    shift
    code=0
    /usr/bin/time -f '%e s on the clock, %U s of the processor, %M KiB' -o "$kept/time" "$@" > "$kept/$(echo "$name" | tr ' /' '--').txt" 2> "$kept/errors" || code=$?
    printf '%s: %s' "$name" "$(tail -1 "$kept/time")"
    [ "$code" = 0 ] && echo || { echo ", exit code $code"; tail -3 "$kept/errors"; }
}

git ls-tree -r main | awk '/\.rs$/ { print $3 }' | git cat-file --batch | awk 'END { print NR, "lines in Rust files" }'
git ls-tree -r main | awk '/\.rs$/' | wc -l | awk '{ print $1, "Rust files" }'
timed "git log --numstat of $versions versions" git log --first-parent --numstat "main~$versions..main"
timed "lito score of the same" "$lito" score "main~$versions..main" --repo "$kept/repository"
timed "lito score --explain of the newest" "$lito" score main --explain --repo "$kept/repository"
for change in statement layout; do
    timed "git show --numstat of a $change in every file" git show --numstat "$change"
    timed "lito score of a $change in every file" "$lito" score "$change" --repo "$kept/repository"
    timed "lito score --explain of a $change in every file" "$lito" score "$change" --explain --repo "$kept/repository"
done
