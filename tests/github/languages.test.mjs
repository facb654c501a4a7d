// Repositories in other languages than Rust, from the clone to a posted verdict: sampled, a pull request that cannot be slower, and
// one that is. LITO_PROGRAM names the program that is tried.

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { GitHub, REPOSITORY } from "./github.mjs";
import { Repository } from "./repository.mjs";
import { runJob } from "./runner.mjs";

const PROGRAM = process.env.LITO_PROGRAM && path.resolve(process.env.LITO_PROGRAM);
assert.ok(PROGRAM, "LITO_PROGRAM names the program to try: ./test.sh sets it");

const GATE = '[gate]\naudit = "0%"\nmetrics = ["instructions"]\n';
const NATIVE = `${GATE}
[[benchmarks]]
adapter = "command"
name = "count"
build = ["make", "--silent"]
run = ["target/bench"]
subject = "subject"
`;
const C_LIBRARY = `#include "words.h"

static int is_letter(char letter) { return letter != ' '; }

long words(const char *text) {
    long count = 0;
    for (const char *at = text; *at; at++)
        count += is_letter(at[0]) && !is_letter(at[1]);
    return count;
}
`;
const C_BENCHMARK = `#include "words.h"
#include <string.h>

static char text[4000];

__attribute__((noinline)) static long subject(void) { return words(text); }

int main(void) {
    memset(text, 'a', sizeof text - 1);
    for (int i = 5; i < 3999; i += 6) text[i] = ' ';
    return subject() == 0;
}
`;
const CPP_LIBRARY = `#include "words.hpp"

long words(const std::vector<std::string> &lines) {
    long count = 0;
    for (const std::string &line : lines)
        for (char letter : line) count += letter == ' ';
    return count;
}
`;
const CPP_BENCHMARK = `#include "words.hpp"

extern "C" __attribute__((noinline)) long subject(const std::vector<std::string> &lines) { return words(lines); }

int main() {
    std::vector<std::string> lines(100, "one line of several words, longer than a short text");
    return subject(lines) == 0;
}
`;
// Made by tests/setup.sh for an interpreter that names its functions: CPython 3.12 or newer.
const PYTHON = path.resolve(import.meta.dirname, "../python/environment/bin/python");
const PYTHON_LIBRARY = `def words(text):
    count = 0
    for letter in text:
        count += letter == " "
    return count
`;
const PYTHON_BENCHMARK = `from words import words


def test_count(benchmark):
    assert benchmark(words, "some words " * 300) == 600
`;
const PYTHON_SETTINGS = `${GATE}
[[benchmarks]]
adapter = "command"
run = ["${PYTHON}", "-m", "pytest", "checks"]
`;
const LANGUAGES = [
  {
    name: "C",
    files: {
      "words.h": "long words(const char *text);\n",
      "words.c": C_LIBRARY,
      "bench.c": C_BENCHMARK,
      Makefile: "all:\n\tmkdir -p $(CARGO_TARGET_DIR)\n\tcc -O1 -g bench.c words.c -o $(CARGO_TARGET_DIR)/bench\n",
      "tests/check.c": "int main(void) { return 0; }\n",
      ".gitignore": "/target\n",
      "lito.toml": NATIVE,
    },
    unread: { "tests/check.c": "int main(void) { return 1; }\n" },
    slower: ["words.c", C_LIBRARY.replace("        count +=", "        for (volatile int i = 0; i < 3; i++) count += i == 4;\n    for (const char *at = text; *at; at++)\n        count +=")],
  },
  {
    name: "C++",
    files: {
      "words.hpp": "#include <string>\n#include <vector>\nlong words(const std::vector<std::string> &lines);\n",
      "words.cpp": CPP_LIBRARY,
      "bench.cpp": CPP_BENCHMARK,
      Makefile: "all:\n\tmkdir -p $(CARGO_TARGET_DIR)\n\tc++ -O1 -g bench.cpp words.cpp -o $(CARGO_TARGET_DIR)/bench\n",
      "examples/show.cpp": "int main() {}\n",
      ".gitignore": "/target\n",
      "lito.toml": NATIVE,
    },
    unread: { "examples/show.cpp": "int main() { return 1; }\n" },
    slower: ["words.cpp", CPP_LIBRARY.replace("const std::string &line", "const std::string line")],
  },
  {
    name: "Python",
    needs: PYTHON,
    files: {
      "words.py": PYTHON_LIBRARY,
      "checks/test_words.py": PYTHON_BENCHMARK,
      "tools/show.py": "print(1)\n",
      ".gitignore": "__pycache__\n",
      "lito.toml": PYTHON_SETTINGS,
    },
    unread: { "tools/show.py": "print(2)\n" },
    slower: ["words.py", PYTHON_LIBRARY.replace('letter == " "', 'letter in (" ", "\\n", "\\t")')],
  },
];

for (const language of LANGUAGES) {
  describe(`a repository of ${language.name}`, () => {
    const skip = language.needs && !fs.existsSync(language.needs) && `${language.needs} is missing`;
    test("is sampled, skips what no benchmark reads, and fails the check of what is slower", { skip }, async () => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lito-language-"));
      const github = await new GitHub(folder, PROGRAM).start();
      try {
        await judged(language, github, folder);
      } finally {
        github.stop();
        fs.rmSync(folder, { recursive: true, force: true });
      }
    });
  });
}

async function judged(language, github, folder) {
  const repository = await Repository.start(github, folder, PROGRAM, language.files);
  const main = repository.main();
  async function run(file, job, eventName, event) {
    const workflow = repository.workflows[file];
    const machine = path.join(folder, "machine");
    const done = await runJob({ github, workflow, job, event, eventName, matrix: { shard: "1/1" }, folder: machine });
    assert.equal(done.conclusion, "success", done.log);
    return done;
  }
  async function verdict(number, branch, files) {
    const head = repository.branch(branch, files);
    github.open(number, { branch, head, base: main });
    const job = await run("lito.yml", "gate", "pull_request", github.about(number, "opened"));
    const ended = github.ended(job.run, { pull: number, head, branch, fork: false, conclusion: job.conclusion });
    await run("lito-report.yml", "post", "workflow_run", ended);
    return { job, check: github.check(head)[0] };
  }

  const pushed = { ref: "refs/heads/main", before: "0".repeat(40), after: main, forced: false, repository: REPOSITORY };
  const sampled = await run("lito-sample.yml", "measure", "push", pushed);
  assert.match(sampled.log, /sampled +1 benchmark /);
  github.sampling = github.artifacts.at(-1).run;
  await run("lito-sample.yml", "store", "push", pushed);

  const unread = await verdict(1, "unread", language.unread);
  assert.equal(unread.check.conclusion, "success");
  assert.match(unread.job.summary, /skipped/i);
  assert.deepEqual(github.ours(1), []);

  const [file, content] = language.slower;
  const slower = await verdict(2, "slower", { [file]: content });
  assert.equal(slower.check.conclusion, "failure", slower.job.log);
  assert.match(slower.check.output.title, /count.*slower/);
  assert.match(github.ours(2)[0].body, new RegExp(file.replace(".", "\\.")));
}
