// A saved file: its name, and how it reaches the reader. A link to a blob is no request, so the page's policy allows it.

/** Characters of one part of a name. */
const LONGEST = 60;
/** Some browsers read the blob only after the click. */
const KEPT = 60_000;

/** "semver_blueprint_parse_1.0.23-to-1.0.24.svg", without what file systems or shells may not like. */
export function fileName(parts: string[], extension: string): string {
  const clean = (part: string) => part.replace(/[^\p{L}\p{N}.+-]+/gu, "-").slice(0, LONGEST).replace(/^[-.]+|[-.]+$/g, "");
  return `${parts.map(clean).filter((part) => part !== "").join("_") || "lito"}.${extension}`;
}

export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  const url = URL.createObjectURL(content);
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT);
}
