// From what Rust embeds in the page to objects: base64, zlib, JSON. Decompression is the browser's own.

import type { Comparison, ComparisonTrees, Payload, Side } from "./payload";

/** A comparison whose trees are read. */
export interface DecodedComparison {
  /** Position in `payload.comparisons`. */
  index: number;
  before: Side;
  after: Side;
  trees: ComparisonTrees;
}

async function inflate(base64: string): Promise<string> {
  const characters = atob(base64.trim());
  // Twenty times as fast as `Uint8Array.from` with a function, and there are megabytes of it.
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < characters.length; at++) bytes[at] = characters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

export async function decodePayload(base64: string): Promise<Payload> {
  const payload = JSON.parse(await inflate(base64)) as Payload;
  if (payload.schema !== "lito.view/1") {
    throw new Error(`this page reads "lito.view/1", its data is "${payload.schema}"`);
  }
  return payload;
}

export async function decodeComparison(comparison: Comparison, index: number): Promise<DecodedComparison> {
  const trees = JSON.parse(await inflate(comparison.trees)) as ComparisonTrees;
  return { index, before: comparison.before, after: comparison.after, trees };
}
