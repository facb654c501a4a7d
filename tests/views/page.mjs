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
    '<meta name="viewport" content="width=device-width">',
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

/** What readers without scripts see. */
function plain(payload) {
  const lines = payload.headline.lines.map((line) => `<li>${escape(line.text)}</li>`).join("");
  const rows = payload.chart.map((series) => {
    const cells = series.values.map((value) => `<td>${value ?? "–"}</td>`).join("");
    return `<tr><th scope="row">${escape(payload.benchmarks[series.benchmark])}</th>${cells}</tr>`;
  });
  const heads = payload.versions.map((version) => `<th scope="col">${escape(version.label)}</th>`).join("");
  const chart = rows.length > 0 ? `<table><thead><tr><td></td>${heads}</tr></thead><tbody>${rows.join("")}</tbody></table>` : "";
  return `<main id="plain"><h1>${escape(payload.project)}: ${escape(payload.title)}</h1><p>${escape(payload.headline.text)}</p><ul>${lines}</ul>${chart}</main>`;
}

function escape(text) {
  return String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
