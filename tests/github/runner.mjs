// Runs a job of a workflow as a runner of GitHub Actions does: expressions by GitHub's own evaluator, steps by bash, with
// the environment, the files and the token that a step gets, and no other. The few actions that lito's workflows use
// beside its own are played.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Evaluator, Lexer, Parser, data } from "@actions/expressions";
import YAML from "yaml";
import { PINNED } from "./github.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/// Milliseconds that a step may take, if nothing is said: far more than the steps of a test.
const LIMIT = 300_000;

// Functions that the runner adds to the language; each step's state answers them.
const STATUS = ["always", "success", "failure", "cancelled"];

/// A job of a workflow, run to its end: its conclusion, the log, the page's markdown and each step's outputs. With the number of a
/// run, that run's next attempt.
/// `others` are contexts that only some workflows use: `needs`, `strategy`.
export async function runJob({ github, workflow, job: name, event, eventName, matrix = {}, folder, fixed = {}, limit = LIMIT, run, others = {} }) {
  // Each job has a machine of its own, and all machines the same paths.
  fs.rmSync(folder, { recursive: true, force: true });
  const { jobs } = YAML.parse(workflow);
  const job = jobs[name];
  assert.ok(job, `no job ${name}`);
  assert.ok(job.permissions, `the job ${name} says what it may do`);
  const context = {
    github: {
      event,
      event_name: eventName,
      repository: github.repository,
      sha: fixed.sha ?? event.after ?? "",
      ref: fixed.ref ?? event.ref ?? "",
      token: github.token(job.permissions),
      ...fixed,
    },
    matrix,
    steps: {},
    inputs: {},
    runner: { temp: path.join(folder, "temp") },
    ...others,
  };
  const state = new Job(github, context, folder);
  state.limit = limit;
  state.run = run ?? (event.workflow_run === undefined ? github.startRun() : 90_000);
  if (job.if !== undefined && !truthy(state.evaluate(`\${{ ${bare(job.if)} }}`))) {
    return { conclusion: "skipped", log: "", summary: "", steps: {}, outputs: {} };
  }
  for (const step of job.steps) {
    await state.step(step, context, {});
  }
  return {
    conclusion: state.failed ? "failure" : "success",
    log: state.log,
    summary: read(state.summary),
    steps: context.steps,
    outputs: Object.fromEntries(Object.entries(job.outputs ?? {}).map(([output, value]) => [output, state.evaluate(value)])),
    annotations: commands(state.log),
    caching: state.caching,
    took: state.took,
    temp: state.temp,
    run: state.run,
  };
}

class Job {
  constructor(github, context, folder) {
    this.github = github;
    this.context = context;
    this.failed = false;
    this.log = "";
    fs.mkdirSync(folder, { recursive: true });
    this.workspace = mkdir(folder, "workspace");
    this.temp = mkdir(folder, "temp");
    this.home = mkdir(folder, "home");
    this.summary = path.join(folder, "summary.md");
    this.event = path.join(folder, "event.json");
    this.caching = [];
    this.took = [];
    fs.writeFileSync(this.event, JSON.stringify(context.github.event));
  }

  async step(step, context, environment) {
    const condition = step.if === undefined ? "success()" : bare(step.if);
    const decides = STATUS.some((name) => condition.includes(`${name}(`));
    const run = truthy(this.evaluate(`\${{ ${condition} }}`, context)) && (decides || !this.failed);
    const outcome = { outputs: {}, outcome: "skipped", conclusion: "skipped" };
    if (run) {
      const began = performance.now();
      const ended = await this.execute(step, context, environment, outcome);
      const name = step.name ?? step.id ?? step.uses?.split("@")[0] ?? step.run;
      this.took.push({ name, seconds: (performance.now() - began) / 1000 });
      outcome.outcome = outcome.conclusion = ended ? "success" : "failure";
      this.failed ||= !ended;
    }
    if (step.id) context.steps[step.id] = outcome;
  }

  async execute(step, context, environment, outcome) {
    if (step.run !== undefined) return this.bash(step, context, environment, outcome);
    const inputs = Object.fromEntries(
      Object.entries(step.with ?? {}).map(([name, value]) => [name, this.evaluate(value, context)]),
    );
    const [action, commit] = step.uses.split("@");
    assert.match(commit, /^[0-9a-f]{40}$/, `${step.uses} is pinned`);
    const played = this[action];
    if (played) return played.call(this, inputs, outcome);
    assert.equal(action, "test/lito", `an action that nobody plays: ${step.uses}`);
    return this.composite(inputs);
  }

  /// lito's own action, step by step.
  async composite(given) {
    const action = YAML.parse(fs.readFileSync(path.join(ROOT, "action.yml"), "utf8"));
    for (const name of Object.keys(given)) assert.ok(action.inputs[name], `an input that is not there: ${name}`);
    const inputs = Object.fromEntries(
      Object.entries(action.inputs).map(([name, { default: value }]) => [
        name,
        given[name] ?? this.evaluate(value, this.context),
      ]),
    );
    const context = { ...this.context, inputs, steps: {} };
    const before = this.failed;
    this.failed = false;
    for (const step of action.runs.steps) {
      await this.step(step, context, {
        GITHUB_ACTION_PATH: ROOT,
        GITHUB_ACTION_REPOSITORY: "test/lito",
        GITHUB_ACTION_REF: PINNED,
      });
    }
    this.action = context.steps;
    const ended = !this.failed;
    this.failed = before;
    return ended;
  }

  async bash(step, context, environment, outcome) {
    assert.ok(!/\$\{\{/.test(step.run), `an expression in a script: ${step.run}`);
    const output = path.join(this.temp, `output-${Math.random().toString(36).slice(2)}`);
    const { github } = context;
    const variables = {
      PATH: `${this.github.tools}:${process.env.PATH}`,
      HOME: this.home,
      // Compilers are where they are; what is fetched is the job's own.
      RUSTUP_HOME: process.env.RUSTUP_HOME ?? path.join(process.env.HOME, ".rustup"),
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: this.github.api,
      GITHUB_SERVER_URL: this.github.server,
      GITHUB_REPOSITORY: github.repository,
      GITHUB_EVENT_NAME: github.event_name,
      GITHUB_EVENT_PATH: this.event,
      GITHUB_REF: github.ref,
      GITHUB_SHA: github.sha,
      GITHUB_RUN_ID: String(this.run),
      GITHUB_STEP_SUMMARY: this.summary,
      GITHUB_OUTPUT: output,
      GITHUB_WORKSPACE: this.workspace,
      RUNNER_TEMP: this.temp,
      RUNNER_OS: "Linux",
      RUNNER_ARCH: "X64",
      GIT_CONFIG_GLOBAL: "/dev/null",
      ...this.github.network,
      ...environment,
    };
    for (const [name, value] of Object.entries(step.env ?? {})) {
      variables[name] = String(this.evaluate(value, context));
    }
    const held = Object.values(variables).some((value) => value.includes(github.token));
    if (held) this.github.handed(github.token, step.run);
    const { code, text } = await started("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      cwd: this.workspace,
      env: variables,
      timeout: this.limit,
    });
    this.log += `> ${step.run}\n${text}`;
    assert.ok(!this.log.includes(github.token), "no token is printed");
    outcome.outputs = outputs(read(output));
    return code === 0;
  }

  "actions/checkout"(inputs) {
    assert.equal(inputs["persist-credentials"], false, "a checkout keeps no token");
    const ref = inputs.ref || this.context.github.sha;
    this.github.git(["clone", "--quiet", this.github.bare, this.workspace]);
    this.github.git(["-C", this.workspace, "fetch", "--quiet", "origin", ref]);
    this.github.git(["-C", this.workspace, "checkout", "--quiet", "--detach", ref]);
    return true;
  }

  "actions/cache/restore"(inputs, outcome) {
    const { key, path: folder, "lookup-only": looks, "restore-keys": others = "" } = inputs;
    assert.ok(key, "a cache is asked for by its key");
    const found = this.github.cached(this.readable(), folder, [key, ...others.split("\n").map((one) => one.trim())]);
    outcome.outputs = { "cache-hit": found ? String(found.key === key) : "", "cache-matched-key": found?.key ?? "" };
    this.caching.push({ does: looks ? "looks" : "restores", key: found?.key });
    if (found && !looks) {
      this.log += `> restores ${found.key}\n`;
      fs.mkdirSync(folder, { recursive: true });
      this.github.unpack(found, folder);
    }
    return true;
  }

  "actions/cache/save"({ key, path: folder }) {
    this.caching.push({ does: "saves", key });
    this.log += `> saves ${key}\n`;
    this.github.cache(this.readable()[0], folder, key);
    return true;
  }

  /// The refs whose caches the job can read, its own first: nobody reads what the run of a pull request saves.
  readable() {
    const { event, event_name: name, ref } = this.context.github;
    const own = { pull_request: `refs/pull/${event.number}/merge`, push: event.ref, merge_group: ref };
    return [...new Set([own[name] ?? "refs/heads/main", "refs/heads/main"])];
  }

  "actions/upload-artifact"({ name, path: asked, overwrite }) {
    const from = path.resolve(this.workspace, asked);
    assert.ok(/^[\w.-]+$/.test(name), `a name that an artifact can have: ${name}`);
    const isEmpty = fs.statSync(from).isDirectory() && fs.readdirSync(from).length === 0;
    if (isEmpty || this.github.upload(this.run, name, from, overwrite)) return true;
    this.log += "> Conflict: an artifact with this name already exists on the workflow run\n";
    return false;
  }

  "actions/download-artifact"({ pattern, path: to }) {
    const place = path.resolve(this.workspace, to);
    this.github.download(this.github.sampling, new RegExp(`^${pattern.replace("*", ".*")}$`), place);
    return true;
  }

  evaluate(value, context = this.context) {
    if (typeof value !== "string") return value;
    const whole = value.match(/^\s*\$\{\{([^]*)\}\}\s*$/);
    if (whole && !whole[1].includes("${{")) return this.expression(whole[1], context);
    return value.replace(/\$\{\{([^]*?)\}\}/g, (_, text) => String(this.expression(text, context)));
  }

  expression(text, context) {
    const state = {
      always: true,
      success: !this.failed,
      failure: this.failed,
      cancelled: false,
    };
    const functions = STATUS.map((name) => ({
      name,
      minArgs: 0,
      maxArgs: 0,
      call: () => new data.BooleanData(state[name]),
    }));
    const { tokens } = new Lexer(text.trim()).lex();
    const tree = new Parser(tokens, Object.keys(context), functions).parse();
    const known = new Map(functions.map((one) => [one.name, one]));
    const value = new Evaluator(tree, asData(context), known).evaluate();
    return value.kind === data.Kind.Boolean ? value.value : value.coerceString();
  }
}

function asData(value) {
  return JSON.parse(JSON.stringify(value), data.reviver);
}

/// Workflow commands that a log has, as the runner finds them: between `::stop-commands::` and its token there are none.
export function commands(log) {
  const found = [];
  let stopped = null;
  for (const line of log.split("\n")) {
    const text = line.trimStart();
    if (stopped !== null) {
      if (text === `::${stopped}::`) stopped = null;
      continue;
    }
    const command = text.match(/^::([a-z-]+)(?: ([^:]*(?:::?[^:]+)*?))?::(.*)$/);
    if (!command) continue;
    if (command[1] === "stop-commands") stopped = command[3];
    else found.push({ command: command[1], properties: command[2] ?? "", message: command[3] });
  }
  assert.equal(stopped, null, "commands are heard again at the end");
  return found;
}

function outputs(text) {
  const found = {};
  const lines = text.split("\n");
  while (lines.length > 0) {
    const line = lines.shift();
    const several = line.match(/^([\w-]+)<<(.*)$/);
    if (several) {
      const value = [];
      while (lines.length > 0 && lines[0] !== several[2]) value.push(lines.shift());
      lines.shift();
      found[several[1]] = value.join("\n");
    } else if (line.includes("=")) {
      const at = line.indexOf("=");
      found[line.slice(0, at)] = line.slice(at + 1);
    }
  }
  return found;
}

export function started(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { timeout: LIMIT, ...options, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    child.stdout.on("data", (part) => (text += part));
    child.stderr.on("data", (part) => (text += part));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, text }));
  });
}

const bare = (condition) => String(condition).replace(/^\s*\$\{\{|\}\}\s*$/g, "").trim();
const truthy = (value) => value === true || (typeof value === "string" && value !== "" && value !== "false");
const read = (file) => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "");

function mkdir(folder, name) {
  const made = path.join(folder, name);
  fs.mkdirSync(made, { recursive: true });
  return made;
}
