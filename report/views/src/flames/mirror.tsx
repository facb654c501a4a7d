// The graphs for those who cannot see a canvas, and the keyboard's place on the page: the frame in question with its
// callers and callees as a tree.

import { ancestry, children, type Frames } from "./frames";

interface MirrorProps {
  frames: Frames;
  /** The frame in question. */
  focus: number;
  /** Everything about a frame in one line. */
  inWords: (frame: number) => string;
  onPick: (frame: number) => void;
}

/** A reader with a screen reader walks on by arrows; more callees at once are only noise. */
const MOST_CALLEES = 30;

export function frameId(frame: number): string {
  return `frame-${frame}`;
}

export function Mirror({ frames, focus, inWords, onPick }: MirrorProps) {
  const path = ancestry(frames, focus);
  const callees = children(frames, focus);
  const rows = [...path, ...callees.slice(0, MOST_CALLEES)];
  return (
    <div class="mirror" role="tree" aria-label="Focused frame with its callers and callees">
      {rows.map((frame) => (
        <div
          key={frame}
          id={frameId(frame)}
          role="treeitem"
          tabIndex={frame === focus ? 0 : -1}
          aria-level={frames.depth[frame] + 1}
          aria-selected={frame === focus}
          aria-expanded={frames.end[frame] === frame + 1 ? undefined : frames.depth[frame] <= frames.depth[focus]}
          data-frame={frame}
          onClick={() => onPick(frame)}
        >
          {inWords(frame)}
          {frame === focus && callees.length > MOST_CALLEES && `, ${callees.length} callees, the first ${MOST_CALLEES} follow`}
        </div>
      ))}
    </div>
  );
}
