// A GitHub that fits on one screen: the parts of its API that lito uses, over one repository that is served by git's own
// program. Tokens may do what the permissions of their job say, and nothing else.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import path from "node:path";
import zlib from "node:zlib";

const BOT = "github-actions[bot]";
/// The commit of lito's action that workflows pin.
export const PINNED = "0123456789".repeat(4);
export const REPOSITORY = { id: 1, full_name: "test/sum", owner: { login: "test" }, default_branch: "main" };
const FORK = { id: 2, full_name: "stranger/sum", owner: { login: "stranger" } };

export class GitHub {
  /// With `host`, an Enterprise Server of that name, which only a proxy leads to (proxy.mjs).
  constructor(folder, program, { host, certificate } = {}) {
    this.host = host;
    this.certificate = certificate;
    this.repository = REPOSITORY.full_name;
    this.folder = folder;
    this.bare = path.join(folder, "git", this.repository);
    this.tokens = new Map();
    this.told = [];
    this.pulls = new Map();
    this.checks = [];
    this.comments = [];
    this.runs = new Map();
    this.artifacts = [];
    this.caches = [];
    this.permissions = { maintainer: "write", stranger: "read" };
    this.writes = 0;
    this.next = 100;
    fs.mkdirSync(this.bare, { recursive: true });
    this.tools = path.join(folder, "tools");
    fs.mkdirSync(this.tools);
    if (program) {
      this.release = release(folder, program);
      const of = `v${execFileSync(program, ["--version"], { encoding: "utf8" }).trim().split(" ").at(-1)}`;
      const signed = { ...this.release, of, commit: PINNED };
      fs.writeFileSync(path.join(this.tools, "gh"), verifier(signed), { mode: 0o755 });
    }
    this.git(["init", "--quiet", "--bare", "--initial-branch=main", this.bare]);
    // As GitHub does: a commit can be fetched by its id, whether or not a branch still has it.
    this.git(["-C", this.bare, "config", "uploadpack.allowAnySHA1InWant", "true"]);
    this.git(["-C", this.bare, "config", "http.receivepack", "true"]);
  }

  async start() {
    const create = this.host ? (answer) => https.createServer(this.certificate, answer) : http.createServer;
    this.listener = create((request, response) => {
      this.answer(request, response).catch((error) => {
        this.told.push(`error: ${error.stack}`);
        if (!response.headersSent) response.writeHead(500);
        response.end(String(error));
      });
    });
    await new Promise((resolve) => this.listener.listen(0, "127.0.0.1", resolve));
    this.port = this.listener.address().port;
    this.server = this.host ? `https://${this.host}` : `http://127.0.0.1:${this.port}`;
    this.apiPath = this.host ? "/api/v3" : "/api";
    this.api = `${this.server}${this.apiPath}`;
    return this;
  }

  stop() {
    this.listener.closeAllConnections();
    this.listener.close();
  }

  git(args, options = {}) {
    const names = ["-c", "user.name=test", "-c", "user.email=test@example.test"];
    return execFileSync("git", [...names, ...args], {
      encoding: "utf8",
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      ...options,
    }).trim();
  }

  token(permissions) {
    const token = `ghs_${(this.next += 1)}${"x".repeat(30)}`;
    this.tokens.set(token, permissions);
    return token;
  }

  /// A step had a token in its environment.
  handed(token, script) {
    this.told.push(`token to: ${script}`);
  }

  startRun() {
    return (this.next += 1);
  }

  /// A run of the measuring workflow that has ended, as `workflow_run` tells of it.
  ended(id, { pull, head, branch, event = "pull_request", fork = false, conclusion = "success" }) {
    const run = {
      id,
      name: "lito",
      path: ".github/workflows/lito.yml",
      event,
      status: "completed",
      conclusion,
      head_sha: head,
      head_branch: branch,
      html_url: `${this.server}/${this.repository}/actions/runs/${id}`,
      head_repository: fork ? FORK : REPOSITORY,
      repository: REPOSITORY,
      pull_requests: fork || !pull ? [] : [{ number: pull }],
    };
    this.runs.set(id, run);
    return { action: "completed", workflow_run: run };
  }

  open(number, { branch, head, base, into = "main", fork = false, draft = false, body = null }) {
    const repo = fork ? FORK : REPOSITORY;
    this.pulls.set(number, {
      number,
      html_url: `${this.server}/${this.repository}/pull/${number}`,
      state: "open",
      draft,
      body,
      user: { login: repo.owner.login },
      labels: [],
      head: { sha: head, ref: branch, repo, label: `${repo.owner.login}:${branch}` },
      base: { sha: base, ref: into, repo: REPOSITORY },
    });
    this.git(["-C", this.bare, "update-ref", `refs/pull/${number}/head`, head]);
    return this.pulls.get(number);
  }

  /// The payload of `pull_request`.
  about(number, action) {
    return { action, number, pull_request: this.pulls.get(number), repository: REPOSITORY };
  }

  said(number, login, body) {
    const comment = this.comment(number, login, body);
    return { action: "created", issue: { number, pull_request: {} }, comment, repository: REPOSITORY };
  }

  comment(number, login, body) {
    const id = (this.next += 1);
    const url = `${this.server}/${this.repository}/pull/${number}`;
    const comment = {
      id,
      body,
      user: { login, type: login === BOT ? "Bot" : "User" },
      html_url: `${url}#issuecomment-${id}`,
      issue_url: `${this.api}/repos/${this.repository}/issues/${number}`,
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-01T00:00:00Z",
      number,
    };
    this.comments.push(comment);
    return comment;
  }

  ours(number) {
    return this.comments.filter((comment) => comment.number === number && comment.user.login === BOT);
  }

  check(head) {
    return this.checks.filter((check) => check.head_sha === head);
  }

  /// Keeps files as an artifact of a run, however often the run is attempted; false if it has one of that name.
  upload(run, name, from, overwrite) {
    const same = this.artifacts.findIndex((one) => one.run === run && one.name === name);
    if (same >= 0 && !overwrite) return false;
    if (same >= 0) this.artifacts.splice(same, 1);
    const files = {};
    const [folder, names] = fs.statSync(from).isFile() ? [path.dirname(from), [path.basename(from)]] : [from, fs.readdirSync(from)];
    for (const file of names) files[file] = fs.readFileSync(path.join(folder, file));
    this.artifacts.push({ id: (this.next += 1), run, name, files });
    return true;
  }

  download(run, pattern, to) {
    for (const artifact of this.artifacts.filter((one) => one.run === run && pattern.test(one.name))) {
      const folder = path.join(to, artifact.name);
      fs.mkdirSync(folder, { recursive: true });
      for (const [name, bytes] of Object.entries(artifact.files)) fs.writeFileSync(path.join(folder, name), bytes);
    }
  }

  /// Keeps a folder under a key of a ref, unless that key has one: no cache is ever replaced.
  cache(ref, folder, key) {
    if (this.caches.some((one) => one.ref === ref && one.key === key && one.folder === folder)) return;
    const archive = path.join(this.folder, `cache-${(this.next += 1)}.tar.zst`);
    execFileSync("tar", ["--posix", "--zstd", "-cf", archive, "-C", folder, "."]);
    this.caches.push({ ref, folder, key, archive });
  }

  /// The newest cache of the first key that has one, exactly or as its beginning, of the first ref that has one.
  cached(refs, folder, keys) {
    const of = this.caches.filter((one) => one.folder === folder).reverse();
    for (const ref of refs) {
      const here = of.filter((one) => one.ref === ref);
      for (const key of keys.filter((one) => one !== "")) {
        const found = here.find((one) => one.key === key) ?? here.find((one) => one.key.startsWith(key));
        if (found) return found;
      }
    }
    return undefined;
  }

  unpack(cache, folder) {
    execFileSync("tar", ["--zstd", "-xf", cache.archive, "-C", folder]);
  }

  async answer(request, response) {
    const url = new URL(request.url, this.server);
    if (url.pathname.includes("/releases/")) return this.released(request, response, url);
    if (url.pathname.startsWith(`${this.apiPath}/`)) return this.rest(request, response, url);
    if (url.pathname.startsWith("/blobs/")) return this.blob(request, response, url);
    return this.serve(request, response, url);
  }

  /// Who asks, by the header of the API or of git.
  asker(request) {
    const header = request.headers.authorization ?? "";
    const [kind, value = ""] = header.split(" ");
    const token = kind.toLowerCase() === "basic" ? Buffer.from(value, "base64").toString().split(":")[1] : value;
    return { token, may: this.tokens.get(token) ?? {} };
  }

  async rest(request, response, url) {
    const body = await text(request);
    const { method } = request;
    // An outage: what is there can be read, nothing can be written.
    if (this.down && method !== "GET") {
      response.writeHead(503);
      return response.end();
    }
    const { may } = this.asker(request);
    const reply = (status, value, headers = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(value));
    };
    const needs = (permission, level) => {
      const has = may[permission];
      if (has === "write" || (has === "read" && level === "read")) return true;
      reply(403, { message: "Resource not accessible by integration" }, {
        "x-accepted-github-permissions": `${permission.replace("-", "_")}=${level}`,
      });
      return false;
    };
    const level = method === "GET" ? "read" : "write";
    if (method !== "GET") this.writes += 1;
    const route = url.pathname.slice(this.apiPath.length);
    const at = (pattern) => route.match(new RegExp(`^/repos/test/sum/${pattern}$`));
    let found;
    if (route === "/user") return reply(403, { message: "Resource not accessible by integration" });
    if ((found = at("pulls/(\\d+)"))) {
      const pull = this.pulls.get(Number(found[1]));
      return needs("pull-requests", level) && reply(pull ? 200 : 404, pull ?? { message: "Not Found" });
    }
    if (at("pulls")) {
      const head = url.searchParams.get("head");
      const state = url.searchParams.get("state") ?? "open";
      const all = [...this.pulls.values()].filter((one) => state === "all" || one.state === state);
      return needs("pull-requests", level) && reply(200, all.filter((one) => !head || one.head.label === head));
    }
    if ((found = at("commits/([0-9a-f]+)/pulls"))) {
      const own = [...this.pulls.values()].filter((one) => one.head.sha === found[1] && one.head.repo.id === 1);
      return needs("pull-requests", level) && reply(200, own);
    }
    if ((found = at("commits/([0-9a-f]+)/check-runs"))) {
      const name = url.searchParams.get("check_name");
      const runs = this.check(found[1]).filter((one) => !name || one.name === name);
      return needs("checks", level) && reply(200, { total_count: runs.length, check_runs: runs });
    }
    if (at("check-runs") && method === "POST") {
      if (!needs("checks", level)) return;
      if (!this.has(JSON.parse(body).head_sha)) return reply(422, { message: "No commit found for SHA" });
      const id = (this.next += 1);
      const check = { id, app: { slug: "github-actions" }, html_url: `${this.server}/checks/${id}`, ...JSON.parse(body) };
      this.checks.push(check);
      return reply(201, check);
    }
    if ((found = at("check-runs/(\\d+)/annotations"))) {
      const check = this.checks.find((one) => one.id === Number(found[1]));
      return needs("checks", level) && reply(200, check.output?.annotations ?? []);
    }
    if ((found = at("check-runs/(\\d+)"))) {
      if (!needs("checks", level)) return;
      const check = this.checks.find((one) => one.id === Number(found[1]));
      const { output, ...others } = JSON.parse(body);
      // Annotations are added to those that are there.
      const annotations = [...(check.output?.annotations ?? []), ...(output?.annotations ?? [])];
      return reply(200, Object.assign(check, others, { output: { ...check.output, ...output, annotations } }));
    }
    if ((found = at("issues/(\\d+)/comments"))) {
      if (!needs("pull-requests", level)) return;
      const number = Number(found[1]);
      if (method === "POST") return reply(201, this.comment(number, BOT, JSON.parse(body).body));
      const page = Number(url.searchParams.get("page") ?? 1);
      const all = this.comments.filter((one) => one.number === number);
      return reply(200, page === 1 ? all : []);
    }
    if ((found = at("issues/comments/(\\d+)"))) {
      if (!needs("pull-requests", level)) return;
      const comment = this.comments.find((one) => one.id === Number(found[1]));
      if (method === "PATCH") comment.body = JSON.parse(body).body;
      return reply(200, comment);
    }
    if ((found = at("collaborators/([^/]+)/permission"))) {
      const permission = this.permissions[decodeURIComponent(found[1])] ?? "none";
      return reply(200, { permission, role_name: permission, user: { login: found[1] } });
    }
    if ((found = at("actions/runs/(\\d+)"))) {
      const run = this.runs.get(Number(found[1]));
      return needs("actions", level) && reply(run ? 200 : 404, run ?? { message: "Not Found" });
    }
    if ((found = at("actions/runs/(\\d+)/artifacts"))) {
      const name = url.searchParams.get("name");
      const all = this.artifacts.filter((one) => one.run === Number(found[1]) && (!name || one.name === name));
      const shown = all.map((one) => ({
        id: one.id,
        name: one.name,
        size_in_bytes: zip(one.files).length,
        expired: false,
        created_at: "2026-01-01T00:00:00Z",
        archive_download_url: `${this.api}/repos/test/sum/actions/artifacts/${one.id}/zip`,
      }));
      return needs("actions", level) && reply(200, { total_count: shown.length, artifacts: shown });
    }
    if ((found = at("actions/artifacts/(\\d+)/zip"))) {
      // Where they lie is another host.
      const elsewhere = this.host ? "https://storage.test" : this.server.replace("127.0.0.1", "localhost");
      if (!needs("actions", level)) return;
      response.writeHead(302, { location: `${elsewhere}/blobs/${found[1]}` });
      return response.end();
    }
    this.told.push(`no route: ${method} ${route}`);
    return reply(404, { message: "Not Found" });
  }

  has(commit) {
    try {
      return this.git(["-C", this.bare, "cat-file", "-t", commit]) === "commit";
    } catch {
      return false;
    }
  }

  /// Files of a release, an archive and its attestation: those of each server, unless one is named that has them.
  released(request, response, url) {
    const name = url.pathname.split("/").at(-1);
    const there = this.release && (this.release.on ?? request.headers.host) === request.headers.host;
    response.writeHead(there ? 200 : 404);
    if (!there) return response.end();
    const { bytes, bundle } = this.release;
    return response.end(name.endsWith(".sigstore.json") ? bundle : bytes);
  }

  blob(request, response, url) {
    assert.equal(request.headers.authorization, undefined, "the token goes to no other host");
    const artifact = this.artifacts.find((one) => one.id === Number(url.pathname.split("/").at(-1)));
    response.writeHead(200, { "content-type": "application/zip" });
    response.end(zip(artifact.files));
  }

  /// The repository, by `git http-backend`.
  async serve(request, response, url) {
    const { may } = this.asker(request);
    const pushes = url.pathname.endsWith("git-receive-pack") || url.searchParams.get("service") === "git-receive-pack";
    const allowed = pushes ? may.contents === "write" : ["read", "write"].includes(may.contents);
    if (!allowed) {
      response.writeHead(request.headers.authorization ? 403 : 401, { "www-authenticate": "Basic" });
      return response.end("Permission denied");
    }
    if (pushes && request.method === "POST") this.told.push("pushed");
    const backend = path.join(this.git(["--exec-path"]), "git-http-backend");
    const child = spawn(backend, {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: path.join(this.folder, "git"),
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        REMOTE_USER: "test",
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        CONTENT_LENGTH: request.headers["content-length"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: request.headers["git-protocol"] ?? "",
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    request.pipe(child.stdin);
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    await new Promise((resolve) => child.on("close", resolve));
    const all = Buffer.concat(parts);
    const end = all.indexOf("\r\n\r\n");
    let status = 200;
    for (const line of all.subarray(0, end).toString().split("\r\n")) {
      const [name, ...value] = line.split(": ");
      if (name === "Status") status = Number.parseInt(value[0], 10);
      else response.setHeader(name, value.join(": "));
    }
    response.writeHead(status);
    response.end(all.subarray(end + 4));
  }
}

/// The archive of a release whose program is this one, where it is, and its checksum.
function release(folder, program) {
  const made = fs.mkdtempSync(path.join(folder, "release-"));
  fs.writeFileSync(path.join(made, "lito"), `#!/bin/sh\nexec '${program}' "$@"\n`, { mode: 0o755 });
  const archive = path.join(made, "archive.tar.gz");
  execFileSync("tar", ["--create", "--gzip", "--file", archive, "--directory", made, "lito"]);
  const bytes = fs.readFileSync(archive);
  return { bytes, bundle: SIGNED, sum: createHash("sha256").update(bytes).digest("hex") };
}

const SIGNED = "signed\n";

/// A program that stands for gh: it verifies the one archive that was signed as a release of lito, and what it is asked about it.
/// It knows github.com, which 127.0.0.1 stands for, and no Enterprise Server.
export function verifier({ sum, of, commit } = {}) {
  return `#!/bin/sh
case "$GH_HOST" in
github.com | 127.0.0.1:*) ;;
*) exit 1 ;;
esac
[ "$1 $2 $4" = "attestation verify --bundle" ] || exit 2
[ "$(sha256sum <"$3" | cut -d ' ' -f 1)" = "${sum}" ] && grep -qx signed "$5" || exit 1
shift 5
case "$*" in
"--repo test/lito --signer-workflow test/lito/.github/workflows/release.yml --source-ref refs/tags/${of} --deny-self-hosted-runners") ;;
*" --source-ref refs/tags/${of} --deny-self-hosted-runners --source-digest ${commit}") ;;
*) exit 1 ;;
esac
`;
}

function text(request) {
  return new Promise((resolve) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => resolve(Buffer.concat(parts).toString()));
  });
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/// A zip archive of these files, as GitHub makes of an artifact.
function zip(files) {
  const locals = [];
  const central = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = zlib.deflateRawSync(content);
    const entry = Buffer.alloc(26);
    entry.writeUInt16LE(20, 0);
    entry.writeUInt16LE(8, 4);
    entry.writeUInt32LE(crc32(content), 10);
    entry.writeUInt32LE(packed.length, 14);
    entry.writeUInt32LE(content.length, 18);
    entry.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), entry, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), entry, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(central.length, 4);
  end.writeUInt16LE(central.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, listed, Buffer.from("PK\x05\x06"), end]);
}
