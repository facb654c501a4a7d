// The pages in this folder as GitHub shows them: `node docs/pictures/pages.mjs`. A test of lito-report writes the pages from
// the verdicts beside them. Needs what browser.mjs needs, and the packages of this folder.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { marked } from "marked";
import { launch, picture } from "./browser.mjs";

const PAGES = [
  { page: "comment", scheme: "light", name: "comment-light" },
  { page: "comment", scheme: "dark", name: "comment-dark" },
  { page: "summary", scheme: "light", name: "summary" },
];

const styles = (scheme) =>
  readFileSync(createRequire(import.meta.url).resolve(`github-markdown-css/github-markdown-${scheme}.css`), "utf8");

const browser = await launch();
for (const { page: source, scheme, name } of PAGES) {
  const text = readFileSync(new URL(`${source}.md`, import.meta.url), "utf8");
  const context = await browser.newContext({ viewport: { width: 900, height: 600 }, deviceScaleFactor: 2, offline: true });
  const page = await context.newPage();
  await page.setContent(
    `<!doctype html><meta charset="utf-8"><style>${styles(scheme)}
     body { margin: 0 } .markdown-body { padding: 24px; font-size: 14px }</style>
     <article class="markdown-body">${marked.parse(text, { gfm: true })}</article>`,
  );
  await picture(page, name, { fullPage: true });
  await context.close();
}
await browser.close();
