// Bundles the views into `dist/`, which is committed so that installing lito needs no Node.
// `node build.mjs --check` writes nothing and fails where `dist/` is not what the sources give.

import { readFileSync, readdirSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

const result = await build({
  absWorkingDir: here,
  entryPoints: { report: "src/main.tsx" },
  outdir: "dist",
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
});

const licenses = licensesOf(result.metafile);
const files = new Map(result.outputFiles.map((file) => [file.path.slice(dist.length + 1), file.text]));
files.set("report.js", `/*\n${licenses}*/\n${files.get("report.js")}`);
files.set("LICENSES.txt", licenses);

if (process.argv.includes("--check")) {
  const stale = [...files].filter(([name, text]) => committed(name) !== text).map(([name]) => name);
  if (stale.length > 0) {
    console.error(`dist/ is not what the sources give (${stale.join(", ")}): run "npm run build" in report/views and commit it`);
    process.exit(1);
  }
} else {
  mkdirSync(dist, { recursive: true });
  for (const [name, text] of files) {
    writeFileSync(join(dist, name), text);
    console.log(`dist/${name}: ${(Buffer.byteLength(text) / 1024).toFixed(1)} KiB`);
  }
}

function committed(name) {
  try {
    return readFileSync(join(dist, name), "utf8");
  } catch {
    return undefined;
  }
}

/** The licences of every package with a file in the bundle, sorted by name. */
function licensesOf(metafile) {
  const names = new Set();
  for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
    if (!/\.(js|css)$/.test(output)) continue;
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
      if (name && bytesInOutput > 0) names.add(name);
    }
  }
  return [...names]
    .sort()
    .map((name) => {
      const folder = join(here, "node_modules", name);
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      if (!file) throw new Error(`${name} has no licence file`);
      const text = readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim();
      if (text.includes("*/")) throw new Error(`the licence of ${name} would end the comment it is put in`);
      return `${name} ${version}, ${license}\n\n${text}\n\n`;
    })
    .join("");
}
