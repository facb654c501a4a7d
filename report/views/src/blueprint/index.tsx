// The performance evolution blueprint (B1 to B12): the delta hot path first, every other node on demand.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import "./blueprint.css";
import type { DecodedComparison } from "../decode";
import { integer } from "../format";
import { useDescriptions, useKeys } from "../keys";
import { fullName, ownName, prefix } from "../names";
import type { Payload } from "../payload";
import { SearchField } from "../search_field";
import { type Store, useStore } from "../state";
import type { ViewProps } from "../view";
import { nodeId } from "./box";
import { measureOf, scales } from "./encode";
import { layout, type Place } from "./layout";
import { type Action, Menu } from "./menu";
import { picture, type Sight } from "./picture";
import { pathOf, selectedNode } from "./selected";
import { Tooltip, TOOLTIP } from "./tooltip";
import { deltaHotPath, hasHidden, hasShown, hideAllBelow, inOrder, MOST_SHOWN, showAllBelow, showChildren, type Shown, showPath, type Tree, tree } from "./tree";
import { GLYPHS, hotPathInWords } from "./words";

export function Blueprint({ payload, comparison, state }: ViewProps) {
  if (comparison !== null && comparison.trees.blueprint.parent.length === 0) return <p class="empty">This comparison has no calling contexts.</p>;
  if (comparison === null) return <p class="empty">{state.get().selection.comparison >= 0 ? "Reading…" : "This report has no calling context tree of this pair."}</p>;
  return <Drawing key={comparison.index} payload={payload} comparison={comparison} store={state} />;
}

interface DrawingProps {
  payload: Payload;
  comparison: DecodedComparison;
  store: Store;
}

const WHERE = "Blueprint";
const ZOOMS = [0.1, 0.15, 0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.5, 2, 3];

function Drawing({ payload, comparison, store }: DrawingProps) {
  const { selection, modes } = useStore(store);
  const whole = useMemo(() => tree(comparison.trees.blueprint), [comparison]);
  const { blueprint } = whole;
  const measure = measureOf(modes);
  const scale = useMemo(() => scales(whole, measure, window.innerHeight), [whole, measure]);
  const [shown, setShown] = useState<Shown>(() => deltaHotPath(whole));
  const [focus, setFocus] = useState(blueprint.hot);
  const [tip, setTip] = useState<{ node: number; x: number; y: number } | null>(null);
  const [menu, setMenu] = useState<{ node: number; x: number; y: number } | null>(null);
  const [zoom, setZoom] = useState(1);
  const [query, setQuery] = useState("");
  const [sight, setSight] = useState<Sight>({ left: 0, top: 0, width: 1280, height: 800 });
  const viewport = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const takeFocus = useRef(false);
  const laid = useMemo(() => layout(whole, shown, measure, scale), [whole, shown, measure, scale]);
  const selected = useMemo(() => selectedNode(blueprint, selection), [blueprint, selection.function, selection.path]);
  const matches = useMemo(() => find(payload, whole, query), [payload, whole, query]);

  const see = useCallback(() => {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = viewport.current!;
    const now = { left: scrollLeft, top: scrollTop, width: clientWidth, height: clientHeight };
    setSight((before) => (isSameSight(before, now) ? before : now));
  }, []);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(see);
    observer.observe(viewport.current!);
    return () => observer.disconnect();
  }, [see]);

  const reveal = useCallback(
    (node: number) => {
      const place = laid.places.get(node);
      if (place) scrollTo(viewport.current!, place, zoom);
    },
    [laid, zoom],
  );

  // Shows the selection of another view; a box focused by key is scrolled to and takes the focus.
  useEffect(() => {
    if (selected < 0) return;
    setFocus(selected);
    if (!shown.has(selected)) setShown(showPath(whole, shown, selected));
  }, [selected]);
  useLayoutEffect(() => {
    reveal(focus);
    // Not left to the observer, which is a frame late: boxes that come in sight would be missing until then.
    see();
    if (!takeFocus.current) return;
    takeFocus.current = false;
    document.getElementById(nodeId(focus))?.focus({ preventScroll: true });
  }, [focus, laid, zoom]);

  const select = (node: number) => {
    setFocus(node);
    store.select({ function: blueprint.function[node], path: pathOf(blueprint, node) });
  };
  const goTo = (node: number) => {
    takeFocus.current = true;
    if (!shown.has(node)) setShown(showPath(whole, shown, node));
    // Also where the node has been the focused one already.
    setFocus(node);
    if (node === focus) document.getElementById(nodeId(node))?.focus();
  };
  const show = (now: Shown, node: number) => {
    setShown(now);
    if (!now.has(focus)) setFocus(node);
  };
  const goToHotPath = () => {
    setShown(deltaHotPath(whole));
    goTo(blueprint.hot);
  };
  const goToMatch = (step: 1 | -1) => {
    if (matches.length === 0) return false;
    const at = matches.findIndex((node) => node >= focus);
    const isOn = matches[at] === focus;
    const next = step === 1 ? (isOn ? at + 1 : at === -1 ? 0 : at) : at === -1 ? matches.length - 1 : at - 1;
    goTo(matches[(next + matches.length) % matches.length]);
    return true;
  };

  const actions = (node: number): Action[] => [
    { id: "hot-path", words: "Show delta hot path", possible: whole.children[node].length > 0, run: () => show(showPath(whole, shown, blueprint.hotBelow[node]), node) },
    { id: "children", words: "Show children", possible: hasHidden(whole, shown, node), run: () => show(showChildren(whole, shown, node), node) },
    { id: "all", words: "Show all below", possible: anyHiddenBelow(whole, shown, node), run: () => show(showAllBelow(whole, shown, node, measure), node) },
    { id: "hide", words: "Hide all below", possible: hasShown(whole, shown, node), run: () => show(hideAllBelow(whole, shown, node), node) },
  ];
  const openMenu = (node: number, x: number, y: number) => {
    setFocus(node);
    setTip(null);
    setMenu({ node, x, y });
  };
  const closeMenu = useCallback(() => {
    setMenu(null);
    takeFocus.current = true;
    setFocus((at) => {
      document.getElementById(nodeId(at))?.focus({ preventScroll: true });
      return at;
    });
  }, []);
  const besideBox = (node: number): [number, number] => {
    const box = document.getElementById(nodeId(node))?.querySelector(".fill")?.getBoundingClientRect();
    return box ? [box.right, box.bottom] : [0, 0];
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const order = inOrder(shown);
    const at = order.indexOf(focus);
    const open = whole.children[focus].filter((child) => shown.has(child));
    if (event.key === "ArrowDown") goTo(order[Math.min(order.length - 1, at + 1)]);
    else if (event.key === "ArrowUp") goTo(order[Math.max(0, at - 1)]);
    else if (event.key === "Home") goTo(0);
    else if (event.key === "End") goTo(order[order.length - 1]);
    else if (event.key === "ArrowRight" && open.length > 0) goTo(open[0]);
    else if (event.key === "ArrowRight") setShown(showChildren(whole, shown, focus));
    else if (event.key === "ArrowLeft" && open.length > 0 && open.length === whole.children[focus].length) setShown(hideAllBelow(whole, shown, focus));
    else if (event.key === "ArrowLeft") goTo(Math.max(0, blueprint.parent[focus]));
    else if (event.key === "Enter" || event.key === " ") {
      select(focus);
      if (event.key === "Enter") document.querySelector(".diff")?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "ContextMenu" || event.key === "m" || (event.key === "F10" && event.shiftKey)) openMenu(focus, ...besideBox(focus));
    else if (event.key === "Escape" && tip !== null) setTip(null);
    else return;
    event.preventDefault();
  };

  useKeys([
    { key: "h", what: "Only the delta hot path", where: WHERE, run: goToHotPath },
    { key: "m", what: "Menu of the focused box (in the tree also the Menu key, Shift+F10)", where: WHERE, run: () => openMenu(focus, ...besideBox(focus)) },
    { key: "/", what: "Search for a function", where: WHERE, run: () => searchField.current?.focus() },
    { key: "n", what: "Next match", where: WHERE, run: () => goToMatch(1) },
    { key: "N", what: "Previous match", where: WHERE, run: () => goToMatch(-1) },
  ]);
  useDescriptions(KEYS.map(([key, what]) => ({ key, what, where: WHERE })));

  const zoomBy = (step: 1 | -1) => {
    const at = ZOOMS.findIndex((each) => each >= zoom - 1e-6);
    setZoom(ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, (ZOOMS[at] > zoom + 1e-6 && step === 1 ? at - 1 : at) + step))]);
  };
  const fit = () => setZoom(Math.min(1, sight.width / laid.width, (window.innerHeight * 0.7) / laid.height));

  const total = blueprint.parent.length;
  const sideways = Math.max(0, sight.width - laid.width * zoom) / 2;
  // Kept while only the tooltip moves: hovering must not draw a thousand boxes again.
  const drawn = useMemo(
    () => picture({ payload, tree: whole, shown, measure, laid, zoom, sideways, sight, focus, selected, matches }),
    [payload, whole, shown, measure, laid, zoom, sideways, sight, focus, selected, matches],
  );

  return (
    <div class="blueprint">
      <HotPath payload={payload} whole={whole} measure={measure} onGo={goToHotPath} />
      <div class="contexts-bar" role="toolbar" aria-label="Blueprint">
        <button onClick={goToHotPath}>
          Delta hot path<kbd aria-hidden="true">h</kbd>
        </button>
        <button data-action="menu" aria-haspopup="menu" onClick={() => openMenu(focus, ...besideBox(focus))}>
          Show or hide…<kbd aria-hidden="true">m</kbd>
        </button>
        <span class="zoom" role="group" aria-label="Zoom">
          <button aria-label="Smaller" onClick={() => zoomBy(-1)}>
            −
          </button>
          <button aria-label={`Zoom ${Math.round(zoom * 100)}%, back to 100%`} onClick={() => setZoom(1)}>
            {Math.round(zoom * 100)}%
          </button>
          <button aria-label="Larger" onClick={() => zoomBy(1)}>
            +
          </button>
          <button onClick={fit}>Fit</button>
        </span>
        <SearchField query={query} placeholder="function" field={searchField} onQuery={setQuery} onNext={() => goToMatch(1)} />
        <span class="dim count" role="status">
          {query !== "" && `${integer(matches.length)} ${matches.length === 1 ? "match" : "matches"} of “${query}” · `}
          {integer(shown.size)} of {integer(total)} contexts shown
        </span>
      </div>
      {shown.size >= MOST_SHOWN && shown.size < total && (
        <p class="capped" role="status">
          The {integer(shown.size)} contexts with the largest differences are shown. To find others, search (/), or <button class="link" onClick={goToHotPath}>go back to the hot path</button> and show the children of what
          interests you; the flame graphs hold all {integer(total)}.
        </p>
      )}
      <div
        class="viewport"
        ref={viewport}
        onScroll={see}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          zoomBy(event.deltaY < 0 ? 1 : -1);
        }}
        onPointerDown={dragToScroll}
      >
        <svg
          width={Math.max(laid.width * zoom, sight.width)}
          height={laid.height * zoom}
          onPointerMove={(event) => {
            const node = nodeUnder(event);
            if (node < 0 || menu !== null) setTip(null);
            else setTip({ node, x: event.clientX, y: event.clientY });
          }}
          onPointerLeave={() => setTip(null)}
          onClick={(event) => {
            const node = nodeUnder(event);
            if (node >= 0) select(node);
          }}
          onDblClick={(event) => {
            const node = nodeUnder(event);
            if (node >= 0) show(hasHidden(whole, shown, node) ? showChildren(whole, shown, node) : hideAllBelow(whole, shown, node), node);
          }}
          onContextMenu={(event) => {
            const node = nodeUnder(event);
            if (node < 0) return;
            event.preventDefault();
            openMenu(node, event.clientX, event.clientY);
          }}
        >
          <g transform={`translate(${sideways},0) scale(${zoom})`}>
            {drawn.edges}
            <g
              role="tree"
              aria-label={`Calling contexts of ${comparison.before.label} and ${comparison.after.label}`}
              onKeyDown={onKeyDown}
              onFocusCapture={(event) => {
                const node = nodeUnder(event);
                if (node < 0) return;
                setFocus(node);
                if (!(event.target as Element).matches(":focus-visible")) return;
                const [x, y] = besideBox(node);
                setTip({ node, x, y });
              }}
              onBlurCapture={() => setTip(null)}
              aria-describedby={tip === null ? undefined : TOOLTIP}
            >
              {drawn.boxes}
            </g>
            {drawn.labels}
          </g>
        </svg>
      </div>
      {tip !== null && <Tooltip payload={payload} comparison={comparison} measure={measure} {...tip} />}
      {menu !== null && <Menu label={`Show for ${ownName(payload, blueprint.function[menu.node])}`} actions={actions(menu.node)} x={menu.x} y={menu.y} onClose={closeMenu} />}
    </div>
  );
}

const KEYS: [key: string, what: string][] = [
  ["ArrowDown", "Next box"],
  ["ArrowUp", "Previous box"],
  ["ArrowRight", "Show children, go to the first"],
  ["ArrowLeft", "Hide children, go to the caller"],
  ["Home", "Root"],
  ["End", "Last box"],
  ["Enter", "Select, and go to the source diff"],
];

function HotPath({ payload, whole, measure, onGo }: { payload: Payload; whole: Tree; measure: number; onGo: () => void }) {
  const { kind, leaf, says, changed } = hotPathInWords(payload, whole, measure);
  return (
    <p class="hot-path" data-kind={kind}>
      <span class="swatch" data-swatch={kind} aria-hidden="true">
        {GLYPHS[kind]}
      </span>
      <button class="link" onClick={onGo}>
        <span class="before">{prefix(payload, leaf)}</span>
        <strong>{ownName(payload, leaf)}</strong>
      </button>{" "}
      {says}
      {changed >= 0 && changed !== leaf && (
        <>
          , below <code>{ownName(payload, changed)}</code>, whose source changed
        </>
      )}
      {changed >= 0 && changed === leaf && ", and its source changed"}.
    </p>
  );
}

/** Nodes in order whose function has the query in its name. */
function find(payload: Payload, { blueprint }: Tree, query: string): number[] {
  const word = query.trim().toLowerCase();
  if (word === "") return [];
  return [...blueprint.function.keys()].filter((node) => fullName(payload, blueprint.function[node]).toLowerCase().includes(word));
}

function anyHiddenBelow(whole: Tree, shown: Shown, node: number): boolean {
  for (let at = node + 1; at < whole.end[node]; at++) if (!shown.has(at)) return true;
  return false;
}

function nodeUnder(event: Event): number {
  const box = (event.target as Element).closest<SVGElement>("[data-node]");
  return box ? Number(box.dataset.node) : -1;
}

function isSameSight(one: Sight, other: Sight): boolean {
  return one.left === other.left && one.top === other.top && one.width === other.width && one.height === other.height;
}

/** Scrolls just so far that a box and its label are in sight. */
function scrollTo(viewport: HTMLElement, place: Place, zoom: number): void {
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = viewport;
  const margin = 40;
  const left = place.x * zoom - margin;
  const right = (place.x + place.width + 200) * zoom;
  const top = place.y * zoom - margin;
  const bottom = (place.y + place.height) * zoom + margin;
  if (left < scrollLeft || right > scrollLeft + clientWidth) viewport.scrollLeft = Math.min(left, Math.max(0, right - clientWidth));
  if (top < scrollTop || bottom > scrollTop + clientHeight) viewport.scrollTop = Math.max(0, Math.min(top, bottom - clientHeight));
}

/** Dragging the ground moves what is in sight. */
function dragToScroll(event: PointerEvent): void {
  const viewport = event.currentTarget as HTMLElement;
  if (event.button !== 0 || event.pointerType !== "mouse" || nodeUnder(event) >= 0) return;
  const from = { x: event.clientX + viewport.scrollLeft, y: event.clientY + viewport.scrollTop };
  const move = (to: PointerEvent) => {
    viewport.scrollLeft = from.x - to.clientX;
    viewport.scrollTop = from.y - to.clientY;
  };
  const stop = () => {
    viewport.removeEventListener("pointermove", move);
    viewport.releasePointerCapture(event.pointerId);
  };
  viewport.setPointerCapture(event.pointerId);
  viewport.addEventListener("pointermove", move);
  viewport.addEventListener("pointerup", stop, { once: true });
}
