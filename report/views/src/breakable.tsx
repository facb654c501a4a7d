// Words with paths in them: a line that must break a path does it after a "::" or a "/", and within a segment only where that
// alone is wider than the line.

import { Fragment } from "preact";

export function Breakable({ text }: { text: string }) {
  const [first, ...others] = text.split(/(?<=::|\/)(?=\w)/);
  return (
    <>
      {first}
      {others.map((part, at) => (
        <Fragment key={at}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  );
}
