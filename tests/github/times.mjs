// Two commits of a real library → how long each job of a pull request between them takes, step by step: with nothing built
// before, and upon the dependencies that the default branch kept. Beside it, the library's own build of the change:
//
//     LITO_PROGRAM=target/release/lito node tests/github/times.mjs CLONE BASE HEAD
//
// Measured: every step of the jobs, downloads from the registry included. Played: GitHub itself, its start of a machine, its
// artifacts and caches, which are packed and unpacked here, but not sent; and the download of lito.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { GitHub, PINNED, REPOSITORY } from "./github.mjs";
import { runJob, started } from "./runner.mjs";

const [clone, base, head] = process.argv.slice(2);
const program = process.env.LITO_PROGRAM && path.resolve(process.env.LITO_PROGRAM);
assert.ok(program && head, "usage: LITO_PROGRAM=PROGRAM node tests/github/times.mjs CLONE BASE HEAD");
const ACTION = `test/lito@${PINNED}`;
// Below the user's folder: what cargo fetches there is fetched again.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lito-times-"));

/// Milliseconds that a step may take.
const HOUR = 3_600_000;

/// The names of the steps in the table.
const STEPS = {
  "actions/checkout": "checkout",
  install: "install lito",
  fetch: "fetch the store",
  dependencies: "restore dependencies",
  import: "take them over",
  gate: "gate",
  sample: "sample",
  built: "prune dependencies",
  save: "save them",
  post: "post",
};

const github = await new GitHub(folder, program).start();
const here = (...args) => github.git(["-C", path.resolve(clone), ...args]);
const work = path.join(folder, "work");

function workflow(name) {
  return fs.readFileSync(path.join(work, ".github/workflows", name), "utf8");
}

async function run(file, job, eventName, event) {
  const began = performance.now();
  const matrix = { shard: "1/1" };
  const done = await runJob({ github, workflow: workflow(file), job, event, eventName, matrix, folder: path.join(folder, "machine"), limit: HOUR });
  done.seconds = (performance.now() - began) / 1000;
  assert.equal(done.conclusion, "success", done.log);
  return done;
}

async function pull(number, tip) {
  github.open(number, { branch: `change-${number}`, head: tip, base: github.git(["-C", work, "rev-parse", "main"]) });
  const job = await run("lito.yml", "gate", "pull_request", github.about(number, "opened"));
  const run_id = github.artifacts.at(-1).run;
  const verdict = JSON.parse(github.artifacts.at(-1).files["verdict.json"]);
  const posted = await run("lito-report.yml", "post", "workflow_run", github.ended(run_id, { pull: number, head: tip, branch: `change-${number}` }));
  return { job, posted, verdict };
}

/// Seconds of cargo's own build of the benchmarks after the change, with everything else built.
function ownBuild(tip, main) {
  const place = path.join(folder, "own");
  github.git(["clone", "--quiet", work, place]);
  const cargo = () => {
    const began = performance.now();
    const options = { cwd: place, encoding: "utf8", env: { ...process.env, CARGO_TARGET_DIR: path.join(folder, "own-target") } };
    const ended = spawnSync("cargo", ["bench", "--no-run", "--quiet"], options);
    return { code: ended.status, seconds: (performance.now() - began) / 1000, text: ended.stderr };
  };
  github.git(["-C", place, "checkout", "--quiet", main]);
  const first = cargo();
  github.git(["-C", place, "checkout", "--quiet", tip]);
  const second = cargo();
  return first.code === 0 && second.code === 0 ? second.seconds : undefined;
}

function shown(title, { job, posted, verdict }) {
  console.log(`\n${title}: ${verdict.verdict}; job ${job.seconds.toFixed(1)} s`);
  for (const { name, seconds } of job.took) {
    if (seconds >= 0.05) console.log(`  ${(STEPS[name] ?? name).slice(0, 60).padEnd(60)} ${seconds.toFixed(1)} s`);
  }
  for (const stage of verdict.stages) {
    console.log(`    of the gate: ${stage.name.padEnd(45)} ${stage.seconds.toFixed(1)} s (${stage.benchmarks} benchmarks)`);
  }
  const judged = job.took.find((one) => one.name === "gate").seconds;
  const staged = verdict.stages.reduce((sum, stage) => sum + stage.seconds, 0);
  console.log(`    of the gate: ${"the rest, and the drawn comparison".padEnd(45)} ${(judged - staged).toFixed(1)} s`);
  for (const line of job.log.split("\n").filter((one) => /^(builds start|likely time)/.test(one))) console.log(`  ${line}`);
  console.log(`  ${"job post, as a whole".padEnd(60)} ${posted.seconds.toFixed(1)} s`);
}

try {
  // A history of its own: one version is sampled.
  github.git(["init", "--quiet", "--initial-branch", "main", work]);
  github.git(["-C", work, "fetch", "--quiet", path.resolve(clone), here("rev-parse", base), here("rev-parse", head)]);
  github.git(["-C", work, "checkout", "--quiet", here("rev-parse", base), "--", "."]);
  github.git(["-C", work, "commit", "--quiet", "--message", "the library"]);
  const { code, text } = await started(program, ["init", "--ci", "github", "--source", ACTION], { cwd: work });
  assert.equal(code, 0, text);
  github.git(["-C", work, "add", "--all"]);
  github.git(["-C", work, "commit", "--quiet", "--message", "lito judges pull requests"]);
  const main = github.git(["-C", work, "rev-parse", "main"]);
  // The change of the head, upon that.
  github.git(["-C", work, "checkout", "--quiet", "--detach"]);
  github.git(["-C", work, "checkout", "--quiet", here("rev-parse", head), "--", "."]);
  github.git(["-C", work, "commit", "--quiet", "--message", "the change"]);
  const tip = github.git(["-C", work, "rev-parse", "HEAD"]);
  github.git(["-C", work, "remote", "add", "origin", github.bare]);
  github.git(["-C", work, "push", "--quiet", "origin", "main", `${tip}:refs/heads/change`]);

  const pushed = { ref: "refs/heads/main", before: "0".repeat(40), after: main, repository: REPOSITORY };
  const sampled = await run("lito-sample.yml", "measure", "push", pushed);
  github.sampling = github.artifacts.at(-1).run;
  await run("lito-sample.yml", "store", "push", pushed);
  console.log(`sampling: ${sampled.seconds.toFixed(1)} s`);
  for (const { name, seconds } of sampled.took) {
    if (seconds >= 0.05) console.log(`  ${(STEPS[name] ?? name).slice(0, 60).padEnd(60)} ${seconds.toFixed(1)} s`);
  }
  for (const cache of github.caches) {
    const size = fs.statSync(cache.archive).size / 2 ** 20;
    console.log(`  kept: ${cache.key}, ${size.toFixed(0)} MiB packed; ${/kept .*/.exec(sampled.log)?.[0]}`);
  }
  const kept = github.caches.splice(0);
  shown("pull request, nothing built before", await pull(1, tip));
  github.caches.push(...kept);
  const warm = await pull(2, tip);
  shown("pull request, upon kept dependencies", warm);
  const own = ownBuild(tip, main);
  if (own === undefined) {
    console.log("\nthe library does not build its benchmarks with `cargo bench --no-run`");
  } else {
    console.log(`\ncargo bench --no-run after the change, all else built: ${own.toFixed(1)} s`);
    console.log(`job / own build: ${(warm.job.seconds / own).toFixed(1)}`);
  }
} finally {
  github.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}
