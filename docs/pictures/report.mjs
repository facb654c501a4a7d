// The pictures of the HTML report, from a report: `node docs/pictures/report.mjs report.html`. Needs what browser.mjs needs.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { SCHEMES, launch, picture } from "./browser.mjs";

/** Each picture: the address it opens, the element that it begins with, and what is clicked. */
const PICTURES = [
  { name: "report", fragment: "", from: null, height: 1000 },
  { name: "matrix", fragment: "", from: ".matrix", height: 640, click: "[role=columnheader][data-side=after]" },
  { name: "blueprint", fragment: "", from: ".pair", height: 1000 },
  { name: "flames", fragment: "view=flames", from: ".pair", height: 900 },
];

const report = pathToFileURL(resolve(process.argv[2])).href;
const browser = await launch();
for (const colorScheme of SCHEMES) {
  for (const { name, fragment, from, height, click } of PICTURES) {
    const viewport = { width: 1280, height };
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce", deviceScaleFactor: 1.5, offline: true });
    const page = await context.newPage();
    await page.goto(`${report}#${fragment}`);
    await page.waitForSelector("#views main");
    if (click) await page.locator(click).click();
    if (from) await page.locator(from).first().evaluate((element) => element.scrollIntoView());
    // The strip that stays on top covers what is scrolled to.
    if (from) await page.evaluate(() => scrollBy(0, -40));
    await page.waitForTimeout(500);
    await picture(page, `${name}-${colorScheme}`);
    await context.close();
  }
}
await browser.close();
