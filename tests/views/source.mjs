// A module of the views, run as it is written: for what needs no page.

import { fileURLToPath } from "node:url";
import { build } from "../../report/views/node_modules/esbuild/lib/main.js";

/** `path` below `report/views/src`. */
export async function source(path) {
  const entry = fileURLToPath(new URL(`../../report/views/src/${path}`, import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: "esm" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
