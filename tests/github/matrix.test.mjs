// The workflow of the book that samples a history on several machines, run as it is written there.

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import YAML from "yaml";
import { GitHub, REPOSITORY } from "./github.mjs";
import { Repository } from "./repository.mjs";
import { runJob } from "./runner.mjs";

const PROGRAM = process.env.LITO_PROGRAM && path.resolve(process.env.LITO_PROGRAM);
assert.ok(PROGRAM, "LITO_PROGRAM names the program to try: ./test.sh sets it");

/// Enough for three versions of which each is the twentieth.
const COMMITS = 45;

let github;
let folder;
let repository;

/// The page's workflow, with a commit where the page leaves it to the reader.
function workflow() {
  const page = fs.readFileSync(fileURLToPath(new URL("../../docs/src/how-to/sample.md", import.meta.url)), "utf8");
  const [, section] = page.split("## On several machines of GitHub Actions");
  const [, block] = section.match(/```yaml\n([^]*?)```/);
  return block.replaceAll("<commit>", "a".repeat(40));
}

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "lito-matrix-"));
  github = await new GitHub(folder, PROGRAM).start();
  repository = await Repository.start(github, folder, PROGRAM);
  // The page takes it for granted that lito is on the machines.
  github.tools = `${path.dirname(PROGRAM)}:${github.tools}`;
});

after(() => {
  github.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

test("machines sample the versions that are due, and one that runs no code of the repository stores them", async () => {
  for (let at = 0; at < COMMITS; at++) repository.commit(`version ${at}`, { "README.md": `Adds up, ${at}.\n` });
  repository.git("push", "--quiet", "origin", "main");
  const event = { ref: "refs/heads/main", before: "0".repeat(40), after: repository.main(), forced: false, repository: REPOSITORY };
  const run = github.startRun();
  const play = (job, others, matrix) =>
    runJob({ github, workflow: workflow(), job, event, eventName: "push", matrix, run, others, folder: path.join(folder, "machine") });

  const plan = await play("plan", {});
  assert.equal(plan.conclusion, "success", plan.log);
  const needs = { plan: { result: "success", outputs: plan.outputs } };
  const { matrix, versions } = JSON.parse(plan.outputs.plan);
  const due = versions.filter(({ state }) => state === "due").map(({ commit }) => commit);
  assert.ok(due.length >= 2 && matrix.shard.length >= 2, plan.outputs.plan);
  assert.equal(YAML.parse(workflow()).jobs.sample.strategy["fail-fast"], false);
  for (const [at, shard] of matrix.shard.entries()) {
    const sampled = await play("sample", { needs, strategy: { "job-index": at } }, { shard });
    assert.equal(sampled.conclusion, "success", sampled.log);
  }
  github.sampling = run;
  const stored = await play("store", { needs: { ...needs, sample: { result: "success", outputs: {} } } });
  assert.equal(stored.conclusion, "success", stored.log);
  const listed = github.git(["-C", github.bare, "ls-tree", "-r", "--name-only", "refs/lito/store", "samples/"]);
  assert.deepEqual([...new Set(listed.match(/(?<=samples\/)[0-9a-f]{40}/g))].sort(), due.sort());

  const again = await play("plan", {});
  assert.deepEqual(JSON.parse(again.outputs.plan).matrix.shard, [], "nothing is due any more");
  const idle = await play("sample", { needs: { plan: { result: "success", outputs: again.outputs } }, strategy: { "job-index": 0 } });
  assert.equal(idle.conclusion, "skipped");
});
