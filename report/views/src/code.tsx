// A sentence of Rust's whose names stand between backticks, with the names as code.

import { Breakable } from "./breakable";

export function WithCode({ text }: { text: string }) {
  const parts = text.split("`");
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code class="code" key={at}><Breakable text={part} /></code> : part))}</>;
}
