#!/bin/sh
# The pages in this folder as GitHub shows them. The pages are what lito writes of the verdicts beside them (a test compares).
# Needs comrak (cargo install comrak), npm, chromium and pngquant; STYLES is a folder with github-markdown-css, fetched if
# none is given.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
styles=${STYLES:-}
if [ -z "$styles" ]; then
    npm install --silent --prefix "$work" github-markdown-css
    styles=$work/node_modules/github-markdown-css
fi

# What it shows of a page: 900 wide, as high as it is, two dots a pixel.
chrome() {
    chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$work/profile" --hide-scrollbars \
        --force-device-scale-factor=2 "$@" 2> /dev/null
}

# PAGE THEME PICTURE
render() {
    {
        printf '<!doctype html><meta charset="utf-8"><title></title><style>'
        cat "$styles/github-markdown-$2.css"
        printf 'body { margin: 0 } .markdown-body { padding: 24px; font-size: 14px }</style><article class="markdown-body">'
        comrak --gfm --unsafe "$1"
        printf '</article><script>document.title = document.querySelector("article").offsetHeight</script>'
    } > "$work/page.html"
    height=$(chrome --window-size=900,600 --dump-dom "file://$work/page.html" | sed -n 's|.*<title>\([0-9]*\)</title>.*|\1|p')
    chrome --window-size="900,$height" --screenshot="$work/page.png" "file://$work/page.html"
    pngquant --force --strip --output "$3" "$work/page.png"
}

render comment.md light comment-light.png
render comment.md dark comment-dark.png
render summary.md light summary.png
