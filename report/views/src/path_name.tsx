// A path, of "::" or "/", in a place of any width: its last segment stays whole while it can, what stands before it gives way.

import { splitPath } from "./format";

export function PathName({ name }: { name: string }) {
  const own = splitPath(name).at(-1)!.split("/").at(-1)!;
  const before = name.slice(0, name.length - own.length);
  return (
    <span class="path-name" title={name}>
      {before !== "" && <span class="before">{before}</span>}
      <span class="own">{own}</span>
    </span>
  );
}
