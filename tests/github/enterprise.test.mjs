// The workflows on a GitHub Enterprise Server that only a proxy leads to: what is asked of which host, by lito, git and the action.

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { GitHub, PINNED } from "./github.mjs";
import { install, released } from "./installing.mjs";
import { Proxy, certificateOf } from "./proxy.mjs";
import { Repository, SLOWER } from "./repository.mjs";
import { runJob } from "./runner.mjs";

const PROGRAM = process.env.LITO_PROGRAM && path.resolve(process.env.LITO_PROGRAM);
assert.ok(PROGRAM, "LITO_PROGRAM names the program to try: ./test.sh sets it");
const HOST = "github.test";

let github;
let folder;
let proxy;
let repository;

async function run(file, job, eventName, event) {
  const workflow = repository.workflows[file];
  return runJob({ github, workflow, job, event, eventName, matrix: { shard: "1/1" }, folder: path.join(folder, "machine") });
}

/// The hosts that were asked for since the last time.
function asked() {
  return [...new Set(proxy.asked.splice(0))].sort();
}

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "lito-enterprise-"));
  const certificate = certificateOf([HOST, "storage.test", "github.com"], folder);
  github = await new GitHub(folder, PROGRAM, { host: HOST, certificate }).start();
  proxy = await new Proxy().start(github.port);
  github.network = {
    HTTPS_PROXY: proxy.address,
    // Of which no proxy is asked.
    HTTP_PROXY: "http://127.0.0.1:1",
    SSL_CERT_FILE: certificate.file,
    CURL_CA_BUNDLE: certificate.file,
    GIT_SSL_CAINFO: certificate.file,
  };
  // The action comes from github.com.
  github.release.on = "github.com";
  repository = await Repository.start(github, folder, PROGRAM);
});

after(() => {
  proxy.stop();
  github.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

describe("on an Enterprise Server behind a proxy", () => {
  let ended;
  let head;

  test("a pull request is measured, by a lito from github.com", async () => {
    head = repository.branch("slower", { "src/lib.rs": SLOWER });
    github.open(1, { branch: "slower", head, base: repository.main() });
    const job = await run("lito.yml", "gate", "pull_request", github.about(1, "opened"));
    assert.equal(job.conclusion, "success", job.log);
    assert.match(job.summary, /slower/);
    assert.ok(job.summary.includes(`https://${HOST}/${github.repository}/actions/runs/${job.run}`), job.summary);
    assert.deepEqual(asked(), ["github.com:443", `${HOST}:443`]);
    ended = github.ended(job.run, { pull: 1, head, branch: "slower" });
  });

  test("the verdict is posted to the server, with links that stay there", async () => {
    const posted = await run("lito-report.yml", "post", "workflow_run", ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.deepEqual(asked(), ["github.com:443", `${HOST}:443`, "storage.test:443"]);
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["failure"]);
    const [comment, ...others] = github.ours(1);
    assert.deepEqual(others, []);
    for (const [link] of comment.body.matchAll(/https?:\/\/[^/\s)"]+/g)) assert.equal(link, `https://${HOST}`);
  });

  test("a comment accepts, and the store is pushed to the server", async () => {
    const commit = github.ours(1)[0].body.match(/@[0-9a-f]{7,}/)[0];
    const heard = await run("lito-report.yml", "accept", "issue_comment", github.said(1, "maintainer", `/lito accept sum ${commit} known`));
    assert.equal(heard.conclusion, "success", heard.log);
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["neutral"]);
    const files = github.git(["-C", github.bare, "ls-tree", "-r", "--name-only", "refs/lito/store"]);
    assert.match(files, /acknowledgements\/1\//);
    assert.deepEqual(asked(), ["github.com:443", `${HOST}:443`, "storage.test:443"]);
  });

  test("the variables count in small letters, too", async () => {
    const { HTTPS_PROXY: https_proxy, HTTP_PROXY: http_proxy, ...others } = github.network;
    github.network = { ...others, https_proxy, http_proxy };
    const posted = await run("lito-report.yml", "post", "workflow_run", ended);
    assert.equal(posted.conclusion, "success", posted.log);
    assert.deepEqual(github.check(head).map((one) => one.conclusion), ["neutral"]);
    assert.equal(github.ours(1).length, 1);
  });

  test("every request had its answer", () => {
    assert.deepEqual(github.told.filter((one) => /^(no route|error)/.test(one)), []);
  });
});

describe("installing on an Enterprise Server", () => {
  test("takes the release of github.com for the commit that the workflow pins, and for nothing else", async () => {
    const release = { ...released(folder), on: "github.com" };
    const signed = { ...release, of: "v1.2.3", commit: PINNED };
    const pinned = await install(github, folder, release, { ref: PINNED, signed });
    assert.match(pinned.text, /^released$/m, pinned.text);
    const tag = await install(github, folder, release, { ref: "v1", signed });
    assert.match(tag.text, /^built$/m, "a repository of that name may be somebody else's there");
    const other = await install(github, folder, release, { ref: "f".repeat(40), signed });
    assert.match(other.text, /^built$/m);
  });

  test("takes no release of the server, which nothing can verify", async () => {
    const release = { ...released(folder), on: HOST };
    const ended = await install(github, folder, release, { ref: PINNED, signed: { ...release, of: "v1.2.3", commit: PINNED } });
    assert.match(ended.text, /provenance could not be verified/);
    assert.match(ended.text, /^built$/m);
  });
});
