// The papers' stories as repositories, and what each comes down to.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LITO = process.env.LITO_PROGRAM ?? join(ROOT, "target/debug/lito");
const STORIES = join(ROOT, "tests/data/stories");

const FILES = {
  "Cargo.toml": '[package]\nname = "story"\nversion = "0.1.0"\nedition = "2024"\n',
  "src/main.rs": "fn main() {\n    std::process::exit(i32::from(story::run() == u64::MAX));\n}\n",
  ".gitignore": "/target\n/Cargo.lock\n",
  "lito.toml":
    '[[benchmarks]]\nadapter = "command"\nname = "run"\nbuild = ["cargo", "build", "--release", "--offline"]\n' +
    'run = ["target/release/story"]\nsubject = "story::run"\n',
};

/** Functions on the way to the culprit, the culprit in `cause`, and a line of the change. */
export const STORY = [
  {
    name: "fixed_size",
    versions: ["1-before", "2-after"],
    path: ["story::AdjustSizeOfNesting::on", "story::Element::elements_not_edge"],
    cause: "story::Element::elements_not_edge",
    source: "elements_not_edge",
  },
  {
    name: "inserted_node",
    versions: ["1-before", "2-after"],
    path: ["story::Builder::build_source", "story::Builder::parse_proxy", "story::new_method"],
    cause: "story::new_method",
    source: "new_method",
  },
  {
    name: "name_loop",
    versions: ["3-looks-ahead", "4-checks-names"],
    path: ["story::Tokenizer::tokens", "story::Tokenizer::next_name"],
    cause: "story::Tokenizer::next_name",
    source: "for index in start",
  },
];

/** A repository in `folder` with one commit a version of a story, and lito in it. */
export function story(folder, name) {
  const repository = join(mkdtempSync(join(folder, "story-")), name);
  mkdirSync(join(repository, "src"), { recursive: true });
  const git = (...words) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", "-C", repository, ...words], {
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
    });
  git("init", "--quiet", "--initial-branch=main");
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(repository, path), text);
  const versions = readdirSync(join(STORIES, name)).sort();
  for (const version of versions) {
    copyFileSync(join(STORIES, name, version), join(repository, "src/lib.rs"));
    git("add", "--all");
    git("commit", "--quiet", "--message", basename(version, ".rs"));
    git("tag", basename(version, ".rs"));
  }
  const lito = (...words) =>
    execFileSync(LITO, words, {
      cwd: repository,
      env: { ...process.env, LITO_CACHE: join(folder, "cache") },
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
  return { repository, versions: versions.map((version) => basename(version, ".rs")), lito };
}
