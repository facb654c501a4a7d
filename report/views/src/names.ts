// Names of functions and strings, looked up in the payload's tables.

import type { Comparison, Payload } from "./payload";

/** "" where there is none. */
export function text(payload: Payload, index: number): string {
  return payload.strings[index] ?? "";
}

/** The whole path. */
export function fullName(payload: Payload, of: number): string {
  return text(payload, payload.functions.name[of] ?? -1);
}

/** The function's own name. */
export function ownName(payload: Payload, of: number): string {
  return text(payload, payload.functions.label[of] ?? -1) || fullName(payload, of);
}

export function typeName(payload: Payload, of: number): string {
  return text(payload, payload.functions.type[of] ?? -1);
}

/** Where the function was before it moved or was renamed: "moved from a::b"; "" where it was not. */
export function origin(payload: Payload, of: number): string {
  const earlier = text(payload, payload.functions.earlier[of] ?? -1);
  return earlier === "" ? "" : `moved from ${earlier}`;
}

/** The part before the function's own name in its path, separator included. */
export function prefix(payload: Payload, of: number): string {
  const whole = fullName(payload, of);
  const own = ownName(payload, of);
  return whole.endsWith(own) ? whole.slice(0, whole.length - own.length) : "";
}

/** "parse_large: v1.2 → v1.3". */
export function sides(payload: Payload, { before, after }: Pick<Comparison, "before" | "after">): string {
  const name = (benchmark: number) => payload.benchmarks[benchmark] ?? "";
  if (before.benchmark === after.benchmark) return `${name(after.benchmark) && `${name(after.benchmark)}: `}${before.label} → ${after.label}`;
  return `${name(before.benchmark)} ${before.label} → ${name(after.benchmark)} ${after.label}`;
}
