// A report's HTML file, put together the way Rust does it: a policy that forbids everything but this page's own script
// and style, plain tables, the payload, the bundle.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const DIST = new URL("../../report/views/dist/", import.meta.url);

/** `payload` with plain objects for `trees`. */
export function page(payload) {
  const script = readFileSync(new URL("report.js", DIST), "utf8");
  const style = readFileSync(new URL("report.css", DIST), "utf8");
  const policy = `default-src 'none'; script-src '${hash(script)}'; style-src '${hash(style)}'`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escape(payload.project)}: ${escape(payload.title)}</title>`,
    `<style>${style}</style>`,
    plain(payload),
    `<script type="application/octet-stream" id="payload">${pack(payload)}</script>`,
    `<script>${script}</script>`,
  ].join("\n");
}

/** Base64 of the deflated JSON, with every comparison's trees packed the same way. */
export function pack(payload) {
  const comparisons = payload.comparisons.map((each) => ({ notes: [], causes: [], ...each, trees: deflated(each.trees) }));
  const chart = payload.chart.map((each) => ({ rewritten: [], ...each }));
  return deflated({ ...payload, chart, comparisons });
}

function deflated(value) {
  return deflateSync(JSON.stringify(value)).toString("base64");
}

function hash(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** What readers without scripts see, in the shape of `report/templates/view.html`. */
function plain(payload) {
  const lines = payload.headline.lines.map((line) => `<li><span data-tone="${line.tone === "slower" ? "worse" : "better"}" aria-hidden="true">${line.tone === "slower" ? "▲" : "▼"}</span> ${escape(line.text)}</li>`);
  const tables = [changes(payload), costs(payload)].filter(({ rows }) => rows.length > 0);
  const links = tables.map(({ caption }, at) => `<li><a href="#table-${at + 1}">${escape(caption)}</a></li>`);
  return [
    `<main id="plain"><h1>${escape(payload.project)}: ${escape(payload.title)}</h1>`,
    `<p class="verdict">${escape(payload.headline.text)}</p>`,
    `<ul class="lines">${lines.join("")}</ul>`,
    tables.length > 1 ? `<nav aria-labelledby="contents"><h2 id="contents">Contents</h2><ol>${links.join("")}</ol></nav>` : "",
    ...tables.map(table),
    "<footer>Made by <code>lito</code>. With scripts, this page draws these figures.</footer></main>",
  ].join("\n");
}

function costs({ chart, versions, benchmarks, unit }) {
  if (chart.length > 12) return firstAndLast({ chart, benchmarks, unit });
  return {
    caption: `Cost of each benchmark, in ${unit}`,
    columns: ["version", ...chart.map((series) => benchmarks[series.benchmark])],
    rows: chart.length === 0 ? [] : versions.map(({ label }, at) => [label, ...chart.map((series) => [series.values[at] ?? "none", ""])]),
  };
}

function firstAndLast({ chart, benchmarks, unit }) {
  return {
    caption: `First and last cost of each benchmark, in ${unit}`,
    columns: ["benchmark", "first", "last", "change"],
    rows: chart.map(({ benchmark, values }) => {
      const known = values.filter((value) => value !== null);
      return [benchmarks[benchmark], [known.at(0) ?? "none", ""], [known.at(-1) ?? "none", ""], change(known.at(-1) / known.at(0) - 1)];
    }),
  };
}

function changes({ chart, versions, benchmarks }) {
  const all = chart.flatMap(({ benchmark, changes }) => changes.map((change) => ({ benchmark, ...change })));
  const largest = all.length <= 40 ? all : all.toSorted((one, other) => Math.abs(other.change) - Math.abs(one.change)).slice(0, 40);
  return {
    caption: all.length <= 40 ? "Where costs change" : `Where costs change most: 40 of ${all.length} changes`,
    columns: ["benchmark", "before", "after", "change"],
    rows: largest.map(({ benchmark, version, before, after, change: relative }) => [`${benchmarks[benchmark]} at ${versions[version].label}`, [before, ""], [after, ""], change(relative)]),
  };
}

function change(relative) {
  return [`${relative > 0 ? "+" : "−"}${Math.abs(relative * 100).toFixed(1)}%`, relative > 0 ? "worse" : "better"];
}

function table({ caption, columns, rows }, at) {
  const heads = columns.map((name, column) => `<th scope="col"${column > 0 ? ' class="figure"' : ""}>${escape(name)}</th>`);
  const cell = ([text, tone]) => `<td class="figure"${tone === "" ? "" : ` data-tone="${tone}"`}>${escape(text)}</td>`;
  const lines = rows.map(([name, ...cells]) => `<tr><th scope="row">${escape(name)}</th>${cells.map(cell).join("")}</tr>`);
  const id = `title-${at + 1}`;
  return [
    `<section id="table-${at + 1}"><h2 id="${id}">${escape(caption)}</h2>`,
    `<div class="scroller" tabindex="0" role="region" aria-labelledby="${id}"><table><thead><tr>${heads.join("")}</tr></thead><tbody>${lines.join("")}</tbody></table></div></section>`,
  ].join("\n");
}

function escape(text) {
  return String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
