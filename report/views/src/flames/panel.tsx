// A graph with its heading: whose widths it has, and what the frame in question is worth in it.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { GraphName } from "./graphs";
import { Stage } from "./stage";

interface PanelProps {
  name: GraphName;
  title: string;
  about: string;
  /** Text in place of an empty graph. */
  empty: string | null;
  value: ComponentChildren;
  onStage: (name: GraphName, stage: Stage | null) => void;
  onPoint: (name: GraphName, event: PointerEvent | null) => void;
  onPick: (name: GraphName, event: MouseEvent) => void;
}

export function Panel({ name, title, about, empty, value, onStage, onPoint, onPick }: PanelProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const stage = new Stage(scroller.current!, spacer.current!, canvas.current!, overlay.current!);
    onStage(name, stage);
    return () => {
      onStage(name, null);
      stage.dispose();
    };
  }, []);
  return (
    <section class="graph" data-graph={name} aria-label={title}>
      <header>
        <h3>{title}</h3> <span class="dim">{about}</span>
        <output class="value">{value}</output>
      </header>
      {empty !== null && <p class="empty">{empty}</p>}
      <div
        class="scroller"
        ref={scroller}
        role="group"
        aria-label={`${title}: arrow keys walk from frame to frame`}
        tabIndex={0}
        hidden={empty !== null}
        onPointerMove={(event) => onPoint(name, event)}
        onPointerLeave={() => onPoint(name, null)}
        onClick={(event) => onPick(name, event)}
      >
        <div class="spacer" ref={spacer}>
          <div class="canvases">
            <canvas ref={canvas} aria-hidden="true" />
            <canvas ref={overlay} aria-hidden="true" class="overlay" />
          </div>
        </div>
      </div>
    </section>
  );
}
