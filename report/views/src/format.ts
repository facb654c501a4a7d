// Numbers and names as readers see them. Every difference is signed, with its unit and its percentage.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const MINUS = "−";
/** No space before the percent sign, a thin one before other units. */
const THIN = "\u202f";

/** "1,234,567". */
export function integer(value: number): string {
  return grouped.format(value).replace("-", MINUS);
}

/** Below this a number is written out. */
const WRITTEN_OUT = 10_000;

/** "1.23 M", "1,234", "0.51": three significant figures at least, for axes and boxes. */
export function compact(value: number): string {
  const magnitude = Math.abs(value);
  const sign = value < 0 ? MINUS : "";
  if (magnitude < WRITTEN_OUT) return sign + (Number.isInteger(value) || magnitude >= 1000 ? grouped.format(magnitude) : String(Number(magnitude.toPrecision(3))));
  const [scale, suffix] = magnitude >= 1e12 ? [1e12, "T"] : magnitude >= 1e9 ? [1e9, "G"] : magnitude >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  const scaled = magnitude / scale;
  return sign + scaled.toFixed(scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2) + THIN + suffix;
}

/** "1.23 M instructions". */
export function cost(value: number, unit: string): string {
  return `${compact(value)} ${unit}`;
}

/** "12.3%" of a fraction. */
export function share(fraction: number): string {
  if (fraction === 0) return "0%";
  return `${(fraction * 100).toFixed(decimals(fraction * 100))}%`.replace("-", MINUS);
}

/** "+12.3%" of a fraction; "±0%" where nothing shows. */
export function signedShare(fraction: number): string {
  const percent = fraction * 100;
  if (!Number.isFinite(percent)) return "new";
  const text = Math.abs(percent).toFixed(decimals(percent));
  return Number(text) === 0 ? "±0%" : `${percent > 0 ? "+" : MINUS}${text}%`;
}

/** "+1.23 M instructions (+12.3%)". */
export function delta(before: number, after: number, unit: string): string {
  const difference = after - before;
  const amount = `${difference > 0 ? "+" : difference === 0 ? "±" : ""}${compact(difference)} ${unit}`;
  return before > 0 ? `${amount} (${signedShare(difference / before)})` : amount;
}

/** "+6.8 points": a difference of shares; one too small for two decimals is still no zero. */
export function points(fraction: number): string {
  const percent = Math.abs(fraction * 100);
  const amount = percent.toFixed(decimals(percent));
  const sign = fraction === 0 ? "±" : fraction > 0 ? "+" : MINUS;
  return `${sign}${fraction !== 0 && Number(amount) === 0 ? "<0.01" : fraction === 0 ? "0" : amount} points`;
}

/** "70.8 → 77.6% of total (+6.8 points)". */
export function shares(before: number, after: number): string {
  return `${share(before).slice(0, -1)} → ${share(after)} of total (${points(after - before)})`;
}

function decimals(percent: number): number {
  const magnitude = Math.abs(percent);
  return magnitude >= 100 ? 0 : magnitude >= 1 ? 1 : 2;
}

/** "▲", "▼" or "": which way a cost went. */
export function arrow(change: number | null): string {
  return change === null || change === 0 ? "" : change > 0 ? "▲" : "▼";
}

/** "regex_automata::…::determinize::next": whole segments from both ends, never longer than `length` where that can be. */
export function shortenPath(path: string, length: number): string {
  if (path.length <= length) return path;
  const segments = splitPath(path);
  if (segments.length > 2) {
    const last = segments.at(-1)!;
    for (let kept = segments.length - 2; kept >= 1; kept--) {
      // Keep what stands next to the function first: it tells more than what stands next to the crate.
      const candidate = [segments[0], "…", ...segments.slice(segments.length - kept)].join("::");
      if (candidate.length <= length) return candidate;
    }
    if (last.length + 3 <= length) return `…::${last}`;
    return middle(last, length);
  }
  return middle(path, length);
}

/** A label that has lost characters says nothing with fewer than these. */
export const LEAST_LABEL = 5;

/** As `shortenPath`, but "" where what is left of it would say nothing. */
export function labelWithin(path: string, length: number): string {
  return path.length <= length || length >= LEAST_LABEL ? shortenPath(path, length) : "";
}

/** "regex::…::determinize::": as many whole segments before a name as have room, those next to the name first; "" where none has. */
export function prefixWithin(prefix: string, length: number): string {
  if (prefix.length <= length) return prefix;
  const segments = splitPath(prefix.replace(/::$/, ""));
  for (let kept = segments.length - 1; kept >= 1; kept--) {
    const tail = `…::${segments.slice(segments.length - kept).join("::")}::`;
    const withHead = `${segments[0]}::${tail}`;
    if (kept < segments.length - 1 && withHead.length <= length) return withHead;
    if (tail.length <= length) return tail;
  }
  return "";
}

/** "determin…:next": both ends of a text that cannot be cut at a separator. */
export function middle(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil((length - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (length - 1 - head))}`;
}

/** Segments of a Rust path; "::" inside generics does not separate. */
export function splitPath(path: string): string[] {
  const segments: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < path.length; at++) {
    const character = path[at];
    if (character === "<" || character === "{" || character === "(") depth++;
    else if (character === ">" && path[at - 1] !== "-") depth--;
    else if (character === "}" || character === ")") depth--;
    else if (character === ":" && path[at + 1] === ":" && depth === 0) {
      segments.push(path.slice(start, at));
      start = at + 2;
      at++;
    }
  }
  segments.push(path.slice(start));
  return segments;
}

/** "2024-05-03". */
export function day(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
