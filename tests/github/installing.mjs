// action/install.sh, run with a release of the given files and a cargo that only notes that it was asked.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { verifier } from "./github.mjs";
import { started } from "./runner.mjs";

/// The folder of lito's own sources.
export const SOURCES = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

// Stands for cargo, which obeys the settings of every folder above the one that it builds.
const CARGO = `#!/bin/bash
for folder in . .. ../.. ../../.. ../../../..; do [[ -e $folder/.cargo/config.toml && ! -e $folder/Cargo.lock ]] && echo "obeys the checkout"; done
while [[ $1 != --root ]]; do shift; done
mkdir -p "$2/bin"
printf "#!/bin/sh\\necho built" >"$2/bin/lito"
chmod +x "$2/bin/lito"
`;

/// Nothing is reached elsewhere.
const NOWHERE = { https_proxy: "http://127.0.0.1:1" };

/// Installs, with what `release` has. `present` is the version of a lito that is there already.
export async function install(github, folder, release, how = {}) {
  const { present, version = "", ref = "v1", signed = { ...release, of: "v1.2.3" }, gh = verifier(signed), sources = SOURCES } = how;
  const temp = fs.mkdtempSync(path.join(folder, "install-"));
  const tools = path.join(temp, "tools");
  fs.mkdirSync(tools);
  fs.mkdirSync(path.join(temp, "runner"));
  fs.writeFileSync(path.join(tools, "cargo"), CARGO, { mode: 0o755 });
  if (gh) fs.writeFileSync(path.join(tools, "gh"), gh, { mode: 0o755 });
  if (present) fs.writeFileSync(path.join(tools, "lito"), `#!/bin/sh\necho lito ${present}\n`, { mode: 0o755 });
  github.release = release;
  const output = path.join(temp, "output");
  fs.writeFileSync(output, "");
  const ended = await started(path.join(sources, "action/install.sh"), [], {
    cwd: temp,
    env: {
      PATH: `${tools}:/usr/bin:/bin`,
      RUN: "post",
      VERSION: version,
      RELEASE: version || "1.2.3",
      PROGRAM: path.join(temp, "program"),
      RELEASES: `${github.server}/test/lito/releases/download/v${version || "1.2.3"}`,
      GITHUB_ACTION_REPOSITORY: "test/lito",
      GITHUB_ACTION_REF: ref,
      RUNNER_TEMP: path.join(temp, "runner"),
      GITHUB_ACTION_PATH: sources,
      GITHUB_OUTPUT: output,
      ...(github.network ?? NOWHERE),
    },
  });
  return { ...ended, output: fs.readFileSync(output, "utf8") };
}

/// The archive of a program that says so, and its checksum.
export function released(folder) {
  const temp = fs.mkdtempSync(path.join(folder, "release-"));
  fs.writeFileSync(path.join(temp, "lito"), "#!/bin/sh\necho released\n", { mode: 0o755 });
  const archive = path.join(temp, "archive.tar.gz");
  execFileSync("tar", ["--create", "--gzip", "--file", archive, "--directory", temp, "lito"]);
  const bytes = fs.readFileSync(archive);
  return { bytes, bundle: "signed\n", sum: createHash("sha256").update(bytes).digest("hex") };
}
