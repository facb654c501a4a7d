// An execution timeline: a bar a time frame, this version in blue over the version before in gray (M8).

import { ROW, TIMELINE } from "./layout";
import type { MatrixModel } from "./model";

interface TimelineProps {
  model: MatrixModel;
  row: number;
  column: number;
  x: number;
  rowHeight: number;
}

export function Timeline({ model, row, column, x, rowHeight }: TimelineProps) {
  const now = model.timeline(row, column);
  const earlier = model.timeline(row, column - 1);
  // Frames are of one size in both versions, so the longer execution is the wider one.
  const frames = Math.max(model.frames(column)?.frames ?? 0, model.frames(column - 1)?.frames ?? 0);
  if (!now && !earlier) return null;
  const width = TIMELINE - 10;
  const height = rowHeight - ROW / 10;
  const path = (shares: number[]) =>
    shares
      .map((share, frame) => {
        if (share <= 0) return "";
        const tall = (share / 100) * height;
        return `M${(frame * width) / frames} ${height}v${-tall}h${width / frames}v${tall}z`;
      })
      .join("");
  return (
    <svg
      class="timeline"
      width={width}
      height={height}
      style={{ left: `${x}px` }}
      aria-hidden="true"
      data-timeline-row={row}
      data-timeline-column={column}
      data-blue={now?.join(" ") ?? ""}
      data-gray={earlier?.join(" ") ?? ""}
    >
      {earlier && <path class="gray" d={path(earlier)} />}
      {now && <path class="blue" d={path(now)} />}
    </svg>
  );
}
