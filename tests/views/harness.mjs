// One browser for a test file: opens a report from disk with the network off, and fails whatever a page must never do:
// ask for anything but its own file, or write a warning or an error to the console.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { page as assemble } from "./page.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Call once a file; `open` pages from it and `close` it in the end. */
export async function launch() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: FLAGS });
  const folder = mkdtempSync(join(tmpdir(), "lito-views-"));
  let opened = 0;

  /**
   * `options`: `fragment`, `html` (instead of the assembled page), `allowed` (a pattern of console messages the test
   * expects), `timed` (for `threadTime`), and anything a browser context takes (`viewport`, `colorScheme`, `reducedMotion`, `forcedColors`,
   * `javaScriptEnabled`).
   */
  async function open(payload, { fragment = "", html, allowed, timed = false, ...context } = {}) {
    const file = join(folder, `report-${opened++}.html`);
    writeFileSync(file, html ?? assemble(payload));
    const url = pathToFileURL(file).href;
    const scope = await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 }, ...context });
    const page = await scope.newPage();
    const thread = timed ? await scope.newCDPSession(page) : null;
    await thread?.send("Performance.enable", { timeDomain: "threadTicks" });
    const faults = [];
    page.on("request", (request) => {
      if (request.url().split("#")[0] !== url) faults.push(`request: ${request.url()}`);
    });
    page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type()) || allowed?.test(message.text())) return;
      faults.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => faults.push(`page error: ${error.stack ?? error}`));
    await page.goto(url + (fragment && `#${fragment}`));
    if (context.javaScriptEnabled !== false) {
      await page.waitForSelector("#views main, #failure", { timeout: 10_000 }).catch((error) => assert.fail([error.message, ...faults].join("\n")));
    }
    return {
      page,
      faults,
      /** Processor time that the thread of a `timed` page took so far, in milliseconds. */
      async threadTime() {
        const { metrics } = await thread.send("Performance.getMetrics");
        return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
      },
      /** Closes the page; throws if it did anything it must not. */
      async done() {
        await scope.close();
        assert.deepEqual(faults, []);
      },
    };
  }

  return {
    open,
    /** Opens, hands the page to `check`, closes, and fails on faults. */
    async visit(payload, options, check) {
      const { page, threadTime, done } = await open(payload, options);
      await check(page, threadTime);
      await done();
    },
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
