// The subject of a saved file: parts of its name, and its title.

import { sides } from "../names";
import type { Comparison, Payload } from "../payload";
import type { Saved } from ".";

/** A view of a pair; `words`: what else its title says. */
export function ofPair(payload: Payload, pair: Pick<Comparison, "before" | "after">, view: string, words = ""): Pick<Saved, "name" | "title"> {
  const { before, after } = pair;
  const benchmarks = [...new Set([before.benchmark, after.benchmark])].map((at) => payload.benchmarks[at] ?? "");
  return {
    name: [payload.project, view, benchmarks.join("-and-"), `${before.label}-to-${after.label}`],
    title: [`${payload.project}, ${view} of ${sides(payload, pair)}`, words].filter((part) => part !== "").join(". "),
  };
}

/** A view over all versions from the first to the last of them; `benchmark` is "" for all. */
export function overVersions(payload: Payload, versions: number[], view: string, benchmark: string, words: string): Pick<Saved, "name" | "title"> {
  const label = (at: number | undefined) => payload.versions[at ?? -1]?.label ?? "";
  const [first, last] = [label(versions[0]), label(versions.at(-1))];
  return {
    name: [payload.project, view, benchmark || "all-benchmarks", `${first}-to-${last}`],
    title: `${payload.project}, ${view}${benchmark === "" ? "" : ` of ${benchmark}`}, ${first} to ${last}. ${words}`,
  };
}
