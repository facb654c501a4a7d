// The workflows that `lito init` writes, run as GitHub would run them: each event that reaches them, from the first push to
// an accepted regression, over a real repository with a real benchmark. LITO_PROGRAM names the program that is tried.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { GitHub, REPOSITORY } from "./github.mjs";
import { SOURCES, install as installed, released as releasedIn } from "./installing.mjs";
import { LIBRARY, Repository, SETTINGS, SLOWER } from "./repository.mjs";
import { commands, runJob, started } from "./runner.mjs";

const PROGRAM = process.env.LITO_PROGRAM && path.resolve(process.env.LITO_PROGRAM);
assert.ok(PROGRAM, "LITO_PROGRAM names the program to try: ./test.sh sets it");

let github;
let folder;
let repository;
// Every job that was run, with what it did with caches.
const ran = [];

const git = (...args) => repository.git(...args);
const main = () => repository.main();
const commit = (...args) => repository.commit(...args);
const branch = (...args) => repository.branch(...args);
const machine = () => path.join(folder, "machine");

/// A job, in a new run or in the next attempt of one.
async function run(file, job, eventName, event, fixed = {}, again = undefined) {
  const workflow = repository.workflows[file];
  const matrix = { shard: "1/1" };
  const done = await runJob({ github, workflow, job, event, eventName, fixed, matrix, folder: machine(), run: again });
  ran.push({ job, eventName, fork: event.pull_request?.head.repo.id === 2, caching: done.caching ?? [] });
  return done;
}

const pushed = (before, after) => ({ ref: "refs/heads/main", before, after, forced: false, repository: REPOSITORY });
const does = (job, what) => job.caching.filter((one) => one.does === what && one.key);

/// The measuring workflow on a pull request, and the event that its end is.
async function gate(number, action, how = {}) {
  return attempt(github.about(number, action), how);
}

/// The same for an event of the past, in the run that had it.
async function attempt(event, how = {}, again = undefined) {
  const { number, pull_request: pull } = event;
  const job = await run("lito.yml", "gate", "pull_request", event, {}, again);
  const ended = github.ended(job.run, {
    pull: number,
    head: pull.head.sha,
    branch: pull.head.ref,
    fork: pull.head.repo.id !== 1,
    conclusion: job.conclusion,
    ...how,
  });
  return { job, ended, event };
}

const post = (event) => run("lito-report.yml", "post", "workflow_run", event);
const accept = (event) => run("lito-report.yml", "accept", "issue_comment", event);
/// The commit of a pull request, as the comment tells a maintainer to name it.
const shown = (number) => github.ours(number)[0].body.match(/@[0-9a-f]{7,}/)[0];
const stored = (pattern) =>
  github.git(["-C", github.bare, "ls-tree", "-r", "--name-only", "refs/lito/store"]).match(pattern) ?? [];

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "lito-action-"));
  github = await new GitHub(folder, PROGRAM).start();
  repository = await Repository.start(github, folder, PROGRAM);
});

after(() => {
  github.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

describe("sampling", () => {
  test("a push is sampled by a job that may write nothing and stored by one that runs nothing", async () => {
    const event = pushed("0".repeat(40), main());
    const measured = await run("lito-sample.yml", "measure", "push", event);
    assert.equal(measured.conclusion, "success", measured.log);
    assert.match(measured.log, /kept 2 built units of dependencies/, "of the optimised and of the counting build");
    assert.deepEqual(does(measured, "restores"), []);
    assert.equal(does(measured, "saves").length, 1);
    assert.match(github.caches[0].key, /^lito-dependencies-/);
    assert.throws(() => github.git(["-C", github.bare, "rev-parse", "--verify", "--quiet", "refs/lito/store"]));
    github.sampling = github.artifacts.at(-1).run;
    const kept = await run("lito-sample.yml", "store", "push", event);
    assert.equal(kept.conclusion, "success", kept.log);
    assert.ok(stored(/samples\//g), "the sample is in the repository");
    assert.ok(!kept.log.includes("cargo"), kept.log);
  });

  test("a schedule after it finds nothing that is due", async () => {
    const measured = await run("lito-sample.yml", "measure", "schedule", { schedule: "23 4 * * 1" }, { sha: main() });
    assert.equal(measured.conclusion, "success", measured.log);
    assert.ok(!/profiled in/.test(measured.log), measured.log);
    assert.deepEqual(measured.caching, [], "nothing was built");
  });
});

describe("a pull request", () => {
  test("that touches documents is skipped: a check, no comment, nothing built", async () => {
    const head = branch("docs", { "README.md": "Adds up numbers.\n" });
    github.open(1, { branch: "docs", head, base: main() });
    const { job, ended } = await gate(1, "opened");
    assert.equal(job.conclusion, "success", job.log);
    assert.match(job.summary, /skipped/i);
    assert.equal((await post(ended)).conclusion, "success");
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["success"]);
    assert.deepEqual(github.ours(1), []);
  });

  test("that is slower fails its check, has one comment and annotations on its lines", async () => {
    const head = branch("slower", { "src/lib.rs": SLOWER });
    github.open(2, { branch: "slower", head, base: main() });
    const { job, ended } = await gate(2, "opened");
    assert.equal(job.conclusion, "success", `the check tells of a regression, not the job: ${job.log}`);
    assert.ok(job.annotations.some((one) => one.properties.includes("file=src/lib.rs")), job.log);
    assert.match(job.summary, /slower/);
    assert.match(job.log, /builds start from 2 built units of dependencies/);
    assert.equal(does(job, "restores").length, 1);
    const posted = await post(ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.deepEqual(posted.caching, [], "what may write to the repository takes nothing that another job left");
    const [check, ...others] = github.check(head);
    assert.deepEqual(others, []);
    assert.equal(check.conclusion, "failure");
    assert.match(check.output.title, /sum.*slower/);
    assert.ok(check.output.annotations.some((one) => one.path === "src/lib.rs"));
    assert.equal(github.ours(2).length, 1);
    assert.match(github.ours(2)[0].body, /lito measure/);
    assert.match(github.ours(2)[0].body, /lito compare .* --output comparison\.html/);
    const drawn = /`comparison\.html` in the artifact \[`lito-verdict`\]\(([^)]*)#artifacts\)/;
    assert.ok(drawn.exec(github.ours(2)[0].body)?.[1].endsWith(`/actions/runs/${ended.workflow_run.id}`), github.ours(2)[0].body);
    assert.match(job.summary, drawn);
    assert.match(posted.summary, /slower/);
  });

  test("is posted twice and told of once", async () => {
    const [run] = [...github.runs.values()].filter((one) => one.pull_requests[0]?.number === 2);
    const writes = github.writes;
    assert.equal((await post({ action: "completed", workflow_run: run })).conclusion, "success");
    assert.equal(github.ours(2).length, 1);
    assert.equal(github.check(run.head_sha).length, 1);
    assert.ok(github.writes - writes <= 2, "the check and the comment are written in place, if at all");
  });

  test("is not accepted by somebody who may not write", async () => {
    const before = github.git(["-C", github.bare, "rev-parse", "refs/lito/store"]);
    const heard = await accept(github.said(2, "stranger", `/lito accept sum ${shown(2)} I want this merged`));
    assert.equal(heard.conclusion, "success", heard.log);
    assert.equal(github.git(["-C", github.bare, "rev-parse", "refs/lito/store"]), before);
    assert.equal(github.check(github.pulls.get(2).head.sha)[0].conclusion, "failure");
  });

  test("is accepted by a maintainer: the check is neutral, and the store knows who, what and why", async () => {
    const heard = await accept(github.said(2, "maintainer", `/lito accept sum ${shown(2)} it is exact now`));
    assert.equal(heard.conclusion, "success", heard.log);
    const [check] = github.check(github.pulls.get(2).head.sha);
    assert.equal(check.conclusion, "neutral");
    assert.equal(github.ours(2).length, 1);
    assert.match(github.ours(2)[0].body, /it is exact now/);
    const [file] = stored(/acknowledgements\/2\/.*\.json/g);
    const kept = JSON.parse(github.git(["-C", github.bare, "show", `refs/lito/store:${file}`]));
    assert.equal(kept.by, "maintainer");
    assert.equal(kept.benchmark, "sum");
    assert.equal(kept.reason, "it is exact now");
    assert.equal(kept.head, github.pulls.get(2).head.sha);
  });

  test("is not accepted for what was pushed after its verdict was read", async () => {
    const read = branch("creeping", { "src/lib.rs": SLOWER });
    github.open(11, { branch: "creeping", head: read, base: main() });
    await post((await gate(11, "opened")).ended);
    const command = `/lito accept sum ${shown(11)} it is exact now`;
    const newer = branch("creeping", { "src/lib.rs": SLOWER.replace("0..8", "0..64") });
    github.open(11, { branch: "creeping", head: newer, base: main() });
    await post((await gate(11, "synchronize")).ended);
    const before = github.git(["-C", github.bare, "rev-parse", "refs/lito/store"]);
    for (const said of [command, "/lito accept sum it is exact now"]) {
      const heard = await accept(github.said(11, "maintainer", said));
      assert.equal(heard.conclusion, "success", heard.log);
      assert.equal(github.check(newer).at(-1).conclusion, "failure", said);
      assert.match(github.ours(11)[0].body, /was refused/);
    }
    assert.equal(github.git(["-C", github.bare, "rev-parse", "refs/lito/store"]), before);
  });

  test("to another branch does not pass the check of the default branch", async () => {
    const head = branch("twice", { "src/lib.rs": `${SLOWER}\n// twice\n` });
    git("push", "--quiet", "--force", "origin", `${head}:refs/heads/release`);
    github.open(12, { branch: "twice", head, base: main() });
    const { ended } = await gate(12, "opened");
    assert.equal((await post(ended)).conclusion, "success");
    const lito = () => github.check(head).filter((one) => one.name === "lito").map((one) => one.conclusion);
    assert.deepEqual(lito(), ["failure"]);
    // The release branch has the change already: into it, nothing gets slower.
    github.open(13, { branch: "twice", head, base: head, into: "release" });
    const other = await gate(13, "opened");
    const posted = await post(other.ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.deepEqual(lito(), ["failure"], "only the run that compared with this base is posted under its name");
    const named = github.check(head).filter((one) => one.name === "lito (release)");
    assert.deepEqual(named.map((one) => one.conclusion), ["success"]);
    github.pulls.get(13).state = "closed";
  });

  test("that is mended has its comment corrected in place", async () => {
    const head = branch("slower", { "src/lib.rs": LIBRARY.replace(">> 7", ">> 9") });
    github.open(2, { branch: "slower", head, base: main() });
    const { ended } = await gate(2, "synchronize");
    assert.equal((await post(ended)).conclusion, "success");
    assert.equal(github.ours(2).length, 1);
    assert.doesNotMatch(github.ours(2)[0].body, /\*\*Worse\*\*/);
    assert.equal(github.check(head)[0].conclusion, "success");
  });

  test("that has moved on gets a check on the commit that was judged, and no comment", async () => {
    const head = branch("moved", { "src/lib.rs": SLOWER });
    github.open(3, { branch: "moved", head, base: main() });
    const { ended } = await gate(3, "synchronize");
    const newer = branch("moved", { "src/lib.rs": `${SLOWER}\n// more\n` });
    github.open(3, { branch: "moved", head: newer, base: main() });
    const posted = await post(ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.equal(github.check(head).length, 1);
    assert.deepEqual(github.ours(3), []);
  });

  test("that is a draft is judged like any other", async () => {
    const head = branch("draft", { "README.md": "Adds.\n" });
    github.open(4, { branch: "draft", head, base: main(), draft: true });
    const { job, ended } = await gate(4, "opened");
    assert.equal(job.conclusion, "success", job.log);
    await post(ended);
    assert.equal(github.check(head)[0].conclusion, "success");
  });

  test("that claims something is answered by the text that GitHub has, and its check is as without", async () => {
    const head = branch("claims", { "README.md": "Adds up quickly.\n" });
    const body = "Faster.\n\n- lito: sum faster 10%\n- lito: sum @all quicker\n";
    github.open(9, { branch: "claims", head, base: main(), body });
    const { job, ended } = await gate(9, "opened");
    assert.equal(job.conclusion, "success", job.log);
    assert.match(job.summary, /`sum faster at least 10%`: refuted/);
    github.pulls.get(9).body += "- lito: sum unchanged\n";
    const posted = await post(ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["success"]);
    const [comment, ...others] = github.ours(9);
    assert.deepEqual(others, []);
    assert.match(comment.body, /`sum faster at least 10%`: refuted/);
    assert.match(comment.body, /`sum @all quicker`: malformed/);
    assert.match(comment.body, /`sum unchanged`: confirmed/);
  });

  test("that is closed is not judged", async () => {
    github.pulls.get(4).state = "closed";
    const { job } = await gate(4, "closed");
    assert.equal(job.conclusion, "success", job.log);
    assert.match(job.summary, /closed/);
  });

  test("whose job was cancelled is told so, and its check does not hang", async () => {
    const head = branch("cancelled", { "src/lib.rs": SLOWER });
    github.open(5, { branch: "cancelled", head, base: main() });
    const ended = github.ended(github.startRun(), { pull: 5, head, branch: "cancelled", conclusion: "cancelled" });
    const posted = await post(ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.equal(github.check(head)[0].conclusion, "failure", "the score flagged it, and nothing judged it");
    assert.match(github.check(head)[0].output.summary, /cancelled/);
  });
});

describe("a pull request from a fork", () => {
  // The values of the first one.
  let honest;
  const HOSTILE = "$(touch${IFS}pwned)`id`'\"<b>@all";

  test("is judged with no token in reach of its code, and its measurements are advice", async () => {
    const head = branch(HOSTILE, { "src/lib.rs": SLOWER }, { fork: true });
    github.open(6, { branch: HOSTILE, head, base: main(), fork: true });
    github.told.length = 0;
    const { job, ended } = await gate(6, "opened");
    assert.equal(job.conclusion, "success", job.log);
    assert.equal(does(job, "restores").length, 1, "a fork reads what the default branch keeps");
    assert.deepEqual(does(job, "saves"), []);
    honest = JSON.parse(github.artifacts.at(-1).files["measurements.json"]);
    const reached = github.told.filter((one) => one.startsWith("token to:"));
    assert.deepEqual(reached.filter((one) => !one.includes("store fetch")), []);
    const posted = await post(ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.equal(github.check(head)[0].conclusion, "failure");
    assert.match(github.ours(6)[0].body, /fork/);
    assert.ok(!fs.existsSync(path.join(posted.temp, "pwned")));
  });

  /// Posts what a fork's run could have left instead of what such a change measures.
  async function forged(number, change) {
    const name = `forged-${number}`;
    const head = branch(name, { "src/lib.rs": `${SLOWER}\n// ${number}\n` }, { fork: true });
    github.open(number, { branch: name, head, base: main(), fork: true });
    const run = github.startRun();
    const left = change({ ...structuredClone(honest), head });
    const files = { "measurements.json": Buffer.from(JSON.stringify(left)) };
    github.artifacts.push({ id: github.startRun(), run, name: "lito-verdict", files });
    const posted = await post(github.ended(run, { head, branch: name, fork: true }));
    assert.equal(posted.conclusion, "success", posted.log);
    return github.check(head).at(-1);
  }

  const counted = (honest) => honest.measurements.find((one) => one.metric === "instructions");

  test("cannot call slower values a pass", async () => {
    const { counts } = counted(honest).values;
    assert.ok(counts.head[0] > counts.base[0]);
    const called = await forged(20, (honest) => ({ ...honest, verdict: "pass", benchmarks: [] }));
    assert.equal(called.conclusion, "failure", "what lito does not know is refused, and the rest is missing");
    assert.match(called.output.summary, /malformed/);
    const untouched = await forged(26, (honest) => honest);
    assert.equal(untouched.conclusion, "failure", "the values themselves are worse");
    assert.doesNotMatch(untouched.output.summary, /malformed/);
  });

  test("passes no check by values of its own making", async () => {
    const check = await forged(21, (honest) => {
      const { counts } = counted(honest).values;
      counts.head = [...counts.base];
      return honest;
    });
    assert.equal(check.conclusion, "neutral");
    assert.match(check.output.summary, /advisory/);
  });

  test("cannot leave out the metric that decides", async () => {
    const check = await forged(22, (honest) => {
      const peak = { ...counted(honest), metric: "peak_bytes", tool: "dhat" };
      return { ...honest, measurements: [peak] };
    });
    assert.equal(check.conclusion, "failure");
    assert.match(check.output.summary, /did not report its instructions/);
  });

  test("cannot call a benchmark new that the base has, nor state an outcome without values", async () => {
    for (const [number, outcome] of [[23, "added"], [24, "pass"]]) {
      const check = await forged(number, (honest) => {
        const values = { unmeasured: { outcome, reason: "trust me" } };
        return { ...honest, measurements: [{ ...counted(honest), values }] };
      });
      assert.equal(check.conclusion, "failure", outcome);
    }
  });

  test("cannot forge that it was skipped", async () => {
    const head = branch("forged", { "src/lib.rs": `${SLOWER}\n// forged\n` }, { fork: true });
    github.open(7, { branch: "forged", head, base: main(), fork: true });
    const run = github.startRun();
    const verdict = {
      schema: "lito.verdict/1", base: main(), head, verdict: "pass", reason: "trust me", benchmarks: [], stages: [],
      environment: {}, cost_seconds: 0, score: { decision: "skip" },
    };
    const files = { "verdict.json": Buffer.from(JSON.stringify(verdict)), "../../evil": Buffer.from("x") };
    github.artifacts.push({ id: github.startRun(), run, name: "lito-verdict", files });
    const posted = await post(github.ended(run, { head, branch: "forged", fork: true }));
    assert.equal(posted.conclusion, "success", posted.log);
    assert.equal(github.check(head)[0].conclusion, "failure", "what was not measured is not passed");
  });

  test("cannot forge the versions it measured", async () => {
    const check = await forged(25, (honest) => ({ ...honest, head: honest.base }));
    assert.equal(check.conclusion, "failure");
    assert.match(check.output.summary, /other versions/);
  });

  test("can say nothing to the runner", async () => {
    const name = "::error title=x::y\n::add-mask::a";
    const settings = SETTINGS.replace('name = "sum"', `name = ${JSON.stringify(name)}`);
    const head = branch("commands", { "src/lib.rs": SLOWER, "lito.toml": settings }, { fork: true });
    github.open(8, { branch: "commands", head, base: main(), fork: true });
    const { job } = await gate(8, "opened");
    const said = commands(job.log).filter((one) => !["warning", "notice"].includes(one.command));
    assert.deepEqual(said, [], job.log);
  });
});

describe("a run that is run again", () => {
  let first;

  test("replaces what it left, and has one check and one comment", async () => {
    const head = branch("again", { "src/lib.rs": `${SLOWER}\n// again\n` });
    github.open(30, { branch: "again", head, base: main() });
    first = await gate(30, "opened");
    assert.equal((await post(first.ended)).conclusion, "success");
    const [check] = github.check(head);
    const again = await attempt(first.event, {}, first.job.run);
    assert.equal(again.job.conclusion, "success", again.job.log);
    assert.equal(github.artifacts.filter((one) => one.run === first.job.run && one.name === "lito-verdict").length, 1);
    for (const _ of [1, 2]) {
      const posted = await post(again.ended);
      assert.equal(posted.conclusion, "success", posted.log);
    }
    assert.deepEqual(github.check(head).map((one) => [one.id, one.conclusion]), [[check.id, "failure"]]);
    assert.equal(new Set(check.output.annotations.map((one) => JSON.stringify(one))).size, check.output.annotations.length);
    assert.equal(github.ours(30).length, 1);
  });

  test("and cancelled keeps the verdict on what it measured before", async () => {
    const { ended } = first;
    const { id, head_sha: head } = ended.workflow_run;
    await post(github.ended(id, { pull: 30, head, branch: "again", conclusion: "cancelled" }));
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["failure"]);
    assert.match(github.check(head)[0].output.title, /sum.*slower/);
    github.ended(id, { pull: 30, head, branch: "again" });
  });

  test("leaves accepted what was accepted", async () => {
    const { ended } = first;
    const head = ended.workflow_run.head_sha;
    await accept(github.said(30, "maintainer", `/lito accept sum ${shown(30)} known`));
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["neutral"]);
    assert.equal((await post(ended)).conclusion, "success");
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["neutral"]);
    assert.equal(github.ours(30).length, 1);
  });

  test("after a newer push touches neither the newer check nor the comment", async () => {
    const old = branch("older", { "src/lib.rs": `${SLOWER}\n// older\n` });
    github.open(31, { branch: "older", head: old, base: main() });
    const before = await gate(31, "opened");
    assert.equal((await post(before.ended)).conclusion, "success");
    const head = branch("older", { "README.md": "Adds up, as before.\n" });
    github.open(31, { branch: "older", head, base: main() });
    assert.equal((await post((await gate(31, "synchronize")).ended)).conclusion, "success");
    const seen = () => JSON.stringify([github.check(head), github.ours(31).map((one) => one.body)]);
    const newer = seen();
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["success"]);
    const again = await attempt(before.event, {}, before.job.run);
    const posted = await post(again.ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.equal(seen(), newer);
    assert.deepEqual(github.check(old).map((one) => one.conclusion), ["failure"]);
  });
});

describe("a merge queue", () => {
  /// An entry that adds commits of pull requests to a version, the last one's under its name, as far as its verdict is posted.
  async function entry(number, commits, base, into = "main") {
    git("checkout", "--quiet", "--detach", base);
    for (const one of commits) git("merge", "--quiet", "--no-ff", "--message", "queued", one);
    const head = git("rev-parse", "HEAD");
    const name = `gh-readonly-queue/${into}/pr-${number}-${base}`;
    git("push", "--quiet", "--force", "origin", `${head}:refs/heads/${name}`);
    const merge_group = { head_sha: head, head_ref: `refs/heads/${name}`, base_sha: base, base_ref: `refs/heads/${into}` };
    const fixed = { sha: head, ref: merge_group.head_ref };
    const job = await run("lito.yml", "gate", "merge_group", { action: "checks_requested", merge_group }, fixed);
    assert.equal(job.conclusion, "success", job.log);
    const posted = await post(github.ended(job.run, { head, branch: name, event: "merge_group" }));
    assert.equal(posted.conclusion, "success", posted.log);
    return { head, job, posted, checks: github.check(head).map((one) => `${one.name}: ${one.conclusion}`) };
  }

  /// A pull request, and its commit.
  function pull(number, files, how = {}) {
    const head = branch(`queued-${number}`, files, how);
    github.open(number, { branch: `queued-${number}`, head, base: how.on ?? main(), into: how.into });
    return head;
  }

  test("is judged against its own base", async () => {
    const head = pull(40, { "README.md": "Adds all up.\n" });
    assert.deepEqual((await entry(40, [head], main())).checks, ["lito: success"]);
    assert.deepEqual(github.ours(40), []);
  });

  test("fails a group of two of which one is slower, and not the entry behind that adds nothing slower", async () => {
    const documented = pull(41, { "README.md": "Adds up in turn.\n" });
    const slower = pull(42, { "src/lib.rs": `${SLOWER}\n// queued\n` });
    const group = await entry(42, [documented, slower], main());
    assert.deepEqual(group.checks, ["lito: failure"]);
    assert.match(github.check(group.head)[0].output.title, /sum.*slower/);
    assert.deepEqual(github.check(slower), [], "the pull request's own commit has a run of its own");
    assert.deepEqual(github.ours(42), []);
    const behind = pull(43, { "CHANGELOG.md": "Nothing yet.\n" });
    assert.deepEqual((await entry(43, [behind], group.head)).checks, ["lito: success"]);
  });

  test("holds what was accepted in the pull request that an entry adds", async () => {
    const { sha } = github.pulls.get(30).head;
    assert.deepEqual((await entry(30, [sha], main())).checks, ["lito: neutral"]);
    assert.deepEqual((await entry(42, [github.pulls.get(42).head.sha], main())).checks, ["lito: failure"]);
  });

  test("into another branch has the check that this branch requires", async () => {
    const release = branch("release", { "README.md": "Adds up, and is released.\n" });
    const head = pull(44, { "README.md": "Adds up, released.\n" }, { on: release, into: "release" });
    assert.deepEqual((await entry(44, [head], release, "release")).checks, ["lito (release): success"]);
  });

  test("that is gone leaves no error behind", async () => {
    const merge_group = { head_sha: "a".repeat(40), base_sha: main() };
    const job = await run("lito.yml", "gate", "merge_group", { action: "destroyed", merge_group }, { sha: main() });
    assert.equal(job.conclusion, "success", job.log);
    assert.match(job.summary, /merge group is gone/);
    // Its commit went with its branch while it was measured.
    github.open(45, { branch: "queued-45", head: main(), base: main() });
    const name = `gh-readonly-queue/main/pr-45-${main()}`;
    const gone = github.ended(github.startRun(), { head: "a".repeat(40), branch: name, event: "merge_group", conclusion: "failure" });
    const posted = await post(gone);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.match(posted.log, /the merge group is gone/);
    assert.deepEqual(github.check("a".repeat(40)), []);
  });
});

describe("other events", () => {
  test("a tag has nothing to judge", async () => {
    const event = { ...pushed("0".repeat(40), main()), ref: "refs/tags/v1" };
    const job = await run("lito.yml", "gate", "push", event);
    assert.equal(job.conclusion, "success", job.log);
    assert.match(job.summary, /not to a branch/);
  });

  test("a schedule has nothing to judge", async () => {
    const job = await run("lito.yml", "gate", "schedule", { schedule: "1 1 * * 1" }, { sha: main() });
    assert.equal(job.conclusion, "success", job.log);
  });

  test("a comment that is not for lito starts no job", async () => {
    const heard = await accept(github.said(2, "maintainer", "thanks!"));
    assert.equal(heard.conclusion, "skipped");
  });

  test("a token that may not post leaves the job's page and the exit code", async () => {
    const [run] = [...github.runs.values()].filter((one) => one.head_sha === github.pulls.get(6).head.sha);
    const narrower = repository.workflows["lito-report.yml"].replace(/checks: write/, "checks: read").replace(/pull-requests: write/, "pull-requests: read");
    const job = await runJob({
      github, workflow: narrower, job: "post", eventName: "workflow_run",
      event: { action: "completed", workflow_run: run }, folder: machine(),
    });
    assert.equal(job.conclusion, "failure", job.log);
    assert.match(job.log, /checks: write/);
    assert.match(job.summary, /slower/);
  });

  test("what GitHub does not take is kept, and posted later", async () => {
    const head = branch("later", { "README.md": "Adds up all.\n" });
    const ended = github.ended(github.startRun(), { head, branch: "later", event: "push" });
    github.down = true;
    const job = await post(ended);
    github.down = false;
    assert.equal(job.conclusion, "failure", job.log);
    assert.match(job.log, /lito post .*posting\.json/);
    assert.deepEqual(github.check(head), []);
    const kept = github.artifacts.at(-1);
    assert.equal(kept.name, "lito-posting");
    const file = path.join(folder, "posting.json");
    fs.writeFileSync(file, kept.files["posting.json"]);
    const environment = {
      PATH: process.env.PATH,
      GITHUB_API_URL: github.api,
      GITHUB_TOKEN: github.token({ checks: "write", "pull-requests": "write" }),
    };
    const later = await started(PROGRAM, ["post", file, "--repository", github.repository], { cwd: folder, env: environment });
    assert.equal(later.code, 0, later.text);
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["success"]);
  });

  test("every request had its answer", () => {
    assert.deepEqual(github.told.filter((one) => /^(no route|error)/.test(one)), []);
  });
});

describe("built dependencies", () => {
  test("that somebody replaced mislead the job that builds upon them, and no other", async () => {
    // Whoever can do this has run code on the default branch.
    const spoilt = path.join(folder, "spoilt");
    for (const cache of github.caches.filter((one) => one.key.startsWith("lito-dependencies-"))) {
      fs.mkdirSync(spoilt);
      github.unpack(cache, spoilt);
      const inside = fs.readdirSync(spoilt, { recursive: true }).filter((one) => /libsteps.*\.r(lib|meta)$/.test(one));
      assert.ok(inside.length > 0);
      // Cargo takes what is there by its times.
      for (const name of inside) {
        const { atime, mtime } = fs.statSync(path.join(spoilt, name));
        fs.writeFileSync(path.join(spoilt, name), "spoilt");
        fs.utimesSync(path.join(spoilt, name), atime, mtime);
      }
      execFileSync("tar", ["--posix", "--zstd", "-cf", cache.archive, "-C", spoilt, "."]);
      fs.rmSync(spoilt, { recursive: true });
    }
    const before = main();
    const head = branch("spoilt", { "src/lib.rs": `${SLOWER}\n// spoilt\n` });
    github.open(20, { branch: "spoilt", head, base: before });
    const { job, ended } = await gate(20, "opened");
    assert.equal(does(job, "restores").length, 1);
    assert.doesNotMatch(job.summary, /slower/, "its measurements are worth nothing");
    const posted = await post(ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.equal(github.check(head)[0].conclusion, "failure", "what could not be measured is not passed");

    git("checkout", "--quiet", "main");
    const after = commit("slower", { "src/lib.rs": `${SLOWER}\n// on main\n` });
    git("push", "--quiet", "origin", "main");
    const measured = await run("lito-sample.yml", "measure", "push", pushed(before, after));
    assert.equal(measured.conclusion, "success", measured.log);
    assert.match(measured.summary, /slower/, "the default branch builds from nothing, and measures what is there");
    github.sampling = github.artifacts.at(-1).run;
    const kept = await run("lito-sample.yml", "store", "push", pushed(before, after));
    assert.equal(kept.conclusion, "success", kept.log);
  });

  test("are kept by sampling on the default branch and taken by judging, and by nothing else", async () => {
    const branches = await run("lito-sample.yml", "measure", "workflow_dispatch", { repository: REPOSITORY }, {
      ref: "refs/heads/slower", sha: github.pulls.get(2).head.sha,
    });
    assert.equal(branches.conclusion, "success", branches.log);
    for (const one of ran) {
      const may = { gate: ["restores"], measure: one.eventName === "workflow_dispatch" ? [] : ["looks", "saves"] };
      const others = one.caching.filter(({ does }) => !(may[one.job] ?? []).includes(does));
      assert.deepEqual(others, [], `${one.job} of ${one.eventName}`);
    }
    const saved = ran.filter((one) => one.caching.some(({ does }) => does === "saves"));
    assert.ok(saved.length > 0 && saved.every((one) => one.job === "measure" && one.eventName === "push"));
    assert.ok(ran.some((one) => one.fork), "a fork was among them");
    assert.ok(github.caches.every((one) => one.ref === "refs/heads/main"));
  });
});

describe("installing", () => {
  const install = (...args) => installed(github, folder, ...args);
  const released = () => releasedIn(folder);

  test("takes the lito of the container where it is the same version", async () => {
    const ended = await install(released(), { present: "1.2.3" });
    assert.equal(ended.code, 0, ended.text);
    assert.match(ended.text, /^lito 1\.2\.3$/m);
    assert.equal(ended.output, "");
  });

  test("takes no other version that is there, and none where the sources are asked for", async () => {
    const other = await install(released(), { present: "1.2.2" });
    assert.match(other.text, /^released$/m);
    const sources = await install(released(), { present: "source", version: "source" });
    assert.match(sources.text, /^built$/m);
  });

  test("takes the release whose provenance is verified", async () => {
    const ended = await install(released());
    assert.equal(ended.code, 0, ended.text);
    assert.match(ended.text, /^released$/m);
    assert.equal(ended.output, "");
  });

  test("takes a release only of the commit that the workflow pins", async () => {
    const commit = "0123456789".repeat(4);
    const release = released();
    const older = await install(release, { signed: { ...release, of: "v1.2.2" } });
    assert.match(older.text, /^built$/m, "of another version");
    const same = await install(release, { ref: commit, signed: { ...release, of: "v1.2.3", commit } });
    assert.match(same.text, /^released$/m);
    const other = await install(release, { ref: commit, signed: { ...release, of: "v1.2.3", commit: "f".repeat(40) } });
    assert.match(other.text, /provenance could not be verified/);
    assert.match(other.text, /^built$/m);
  });

  test("builds from source where somebody replaced the archive, whatever stands beside it", async () => {
    const signed = released();
    const replaced = { ...released(), bytes: Buffer.concat([signed.bytes, Buffer.from("\0")]) };
    for (const release of [replaced, { ...signed, bundle: "forged\n" }, { ...signed, bundle: undefined }]) {
      const ended = await install(release, { signed: { ...signed, of: "v1.2.3" } });
      assert.equal(ended.code, 0, ended.text);
      assert.match(ended.text, /^built$/m);
      assert.match(ended.output, /built=true/);
    }
  });

  test("builds from source where nothing can verify a release", async () => {
    const ended = await install(released(), { gh: "" });
    assert.equal(ended.code, 0, ended.text);
    assert.match(ended.text, /no gh to verify/);
    assert.match(ended.text, /^built$/m);
  });

  test("builds from source by no settings of the checkout that the sources lie in", async () => {
    const checkout = fs.mkdtempSync(path.join(folder, "checkout-"));
    const sources = path.join(checkout, ".lito/lito");
    fs.mkdirSync(path.join(checkout, ".cargo"));
    fs.writeFileSync(path.join(checkout, ".cargo/config.toml"), '[build]\nrustc-wrapper = "./mine"\n');
    fs.cpSync(path.join(SOURCES, "action"), path.join(sources, "action"), { recursive: true });
    const ended = await install(undefined, { sources });
    assert.equal(ended.code, 0, ended.text);
    assert.match(ended.text, /^built$/m);
    assert.doesNotMatch(ended.text, /obeys the checkout/);
  });

  test("builds from source where there is no release", async () => {
    const ended = await install(undefined);
    assert.equal(ended.code, 0, ended.text);
    assert.match(ended.text, /^built$/m);
  });
});
