// The repository that the workflows are tried on: a small library with a real benchmark and a package from elsewhere, and the
// workflows that `lito init` writes.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { PINNED } from "./github.mjs";
import { started } from "./runner.mjs";

export const LIBRARY = `pub fn work(of: &[u64]) -> u64 {
    let mut sum = 0u64;
    for value in of {
        sum = sum.wrapping_mul(31).wrapping_add(step(*value));
    }
    sum
}

#[inline(never)]
fn step(value: u64) -> u64 {
    value ^ (value >> 7)
}
`;
export const SLOWER = LIBRARY.replace(
  "    value ^ (value >> 7)",
  "    let mut value = value;\n    for _ in 0..8 {\n        value = std::hint::black_box(value ^ (value >> 7));\n    }\n    value",
);
const PROGRAM_SOURCE = `fn main() {
    let of: Vec<u64> = (0..steps::COUNT).collect();
    let mut all = 0;
    for _ in 0..200 {
        all ^= sum::work(std::hint::black_box(&of));
    }
    std::process::exit(i32::from(all == 7));
}
`;
export const SETTINGS = `[[benchmarks]]
adapter = "command"
name = "sum"
build = ["cargo", "build", "--release"]
run = ["target/release/sum"]

[gate]
audit = "0%"
`;

/// The files of the library, which has a package from elsewhere that each machine has to fetch and to build.
function library(github, folder) {
  const elsewhere = path.join(folder, "steps");
  fs.mkdirSync(path.join(elsewhere, "src"), { recursive: true });
  fs.writeFileSync(path.join(elsewhere, "Cargo.toml"), '[package]\nname = "steps"\nversion = "0.1.0"\nedition = "2021"\n');
  fs.writeFileSync(path.join(elsewhere, "src/lib.rs"), "pub const COUNT: u64 = 4_000;\n");
  for (const args of [["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "steps"]]) {
    github.git(["-C", elsewhere, ...args]);
  }
  return {
    "Cargo.toml": `[package]\nname = "sum"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nsteps = { git = "file://${elsewhere}" }\n`,
    ".gitignore": "/target\n/Cargo.lock\n",
    "README.md": "Adds up.\n",
    "src/lib.rs": LIBRARY,
    "src/main.rs": PROGRAM_SOURCE,
    "lito.toml": SETTINGS,
  };
}

export class Repository {
  /// A clone of what a played GitHub has, with the first commits pushed: these files, or the library.
  static async start(github, folder, program, files = library(github, folder)) {
    const repository = new Repository();
    repository.github = github;
    repository.clone = path.join(folder, "clone");
    github.git(["clone", "--quiet", github.bare, repository.clone]);
    repository.git("checkout", "--quiet", "-B", "main");
    repository.commit("the first version", files);
    const action = `test/lito@${PINNED}`;
    const { code, text } = await started(program, ["init", "--ci", "github", "--source", action], { cwd: repository.clone });
    assert.equal(code, 0, text);
    repository.commit("lito judges pull requests", {});
    repository.git("push", "--quiet", "origin", "main");
    repository.workflows = Object.fromEntries(
      ["lito.yml", "lito-report.yml", "lito-sample.yml"].map((file) => [
        file,
        fs.readFileSync(path.join(repository.clone, ".github/workflows", file), "utf8"),
      ]),
    );
    return repository;
  }

  git(...args) {
    return this.github.git(["-C", this.clone, ...args]);
  }

  main() {
    return this.git("rev-parse", "main");
  }

  commit(message, files) {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(this.clone, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, content);
    }
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", message);
    return this.git("rev-parse", "HEAD");
  }

  /// A branch of one commit on top of a version, in the repository or, as GitHub keeps those of forks, beside its branches.
  branch(name, files, { fork = false, on = "main" } = {}) {
    this.git("checkout", "--quiet", "--detach", on);
    const head = this.commit("a change", files);
    this.git("push", "--quiet", "--force", "origin", fork ? `${head}:refs/forks/${head}` : `${head}:refs/heads/${name}`);
    return head;
  }
}
