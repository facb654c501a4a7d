// The performance evolution blueprint (B1 to B12): the delta hot path first, every other node on demand.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import "./blueprint.css";
import type { DecodedComparison } from "../decode";
import { integer } from "../format";
import { useDescriptions, useKeys } from "../keys";
import { fullName, ownName } from "../names";
import type { Payload } from "../payload";
import { SaveMenu } from "../save";
import { Printed } from "../save/printed";
import { SearchField } from "../search_field";
import { type Store, useStore } from "../state";
import type { ViewProps } from "../view";
import { boxId } from "./box";
import { measureOf, scales } from "./encode";
import { type Drawn, fold, foreign, hotEnd, unfoldedAround } from "./fold";
import { FoldTip } from "./fold_tip";
import { foldName } from "./fold_words";
import { HotPath } from "./hot_path";
import { layout } from "./layout";
import { type Action, Menu } from "../menu";
import { corner, isLarger, Minimap } from "./minimap";
import { picture } from "./picture";
import { blueprintSaved } from "./save";
import { boxUnder, dragToScroll, isSameSight, scrollTo, type Sight } from "./scroll";
import { pathOf, selectedNode } from "./selected";
import { Tooltip, TOOLTIP } from "./tooltip";
import { deltaHotPath, hasShown, hiddenBelow, hideAllBelow, MOST_SHOWN, showAllBelow, showChildren, type Shown, showPath, type Tree, tree } from "./tree";

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
  const outside = useMemo(() => foreign(whole, payload.functions.external), [whole]);
  /** Where everything is outside, nothing is outside of anything. */
  const hasLibraries = useMemo(() => outside[0] === 0 && outside.includes(1), [outside]);
  const foldsLibraries = hasLibraries && modes.libraries === "folded";
  const endOf = (leaf: number, from?: number) => (foldsLibraries ? hotEnd(whole, payload.functions.external, leaf, from) : leaf);
  const hotLeaf = endOf(blueprint.hot);
  const [shown, setShown] = useState<Shown>(() => deltaHotPath(whole, hotLeaf));
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const [focus, setFocus] = useState(hotLeaf);
  const [tip, setTip] = useState<{ box: number; x: number; y: number } | null>(null);
  const [menu, setMenu] = useState<{ box: number; x: number; y: number } | null>(null);
  const [zoom, setZoom] = useState(1);
  const [query, setQuery] = useState("");
  const [wantsMap, setWantsMap] = useState(true);
  const [sight, setSight] = useState<Sight>({ left: 0, top: 0, width: 1280, height: 800 });
  const viewport = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  /** Counts the times that the focused box takes the focus of the page, each once it is drawn. */
  const [taken, setTaken] = useState(0);
  const takeFocus = () => setTaken((times) => times + 1);
  const hasJustUnfolded = useRef(false);
  const selected = useMemo(() => selectedNode(blueprint, selection), [blueprint, selection.function, selection.path]);
  const matches = useMemo(() => find(payload, whole, query), [payload, whole, query]);
  const drawing = useMemo(
    () =>
      fold(whole, shown, {
        measure,
        foreign: foldsLibraries ? outside : null,
        nameOf: (node) => fullName(payload, blueprint.function[node]),
        kept: [...unfolded, ...matches, selected, hotLeaf],
      }),
    [whole, shown, measure, foldsLibraries, unfolded, matches, selected, hotLeaf],
  );
  const laid = useMemo(() => layout(drawing, scale), [drawing, scale]);
  // The number of a fold may be one that is no more; what it stood for is below the same caller then.
  const focused = drawing.byId.get(focus) ?? drawing.boxOf(focus % blueprint.parent.length);
  const exceeds = isLarger(laid, zoom, sight);
  const hasMap = exceeds && wantsMap;

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

  // Shows the selection of another view; a box focused by key is scrolled to and takes the focus.
  useEffect(() => {
    if (selected < 0) return;
    setFocus(selected);
    if (!shown.has(selected)) setShown(showPath(whole, shown, selected));
  }, [selected]);
  // A reader who has opened nothing yet sees the hot path as it is with libraries, or without them.
  const lastHotLeaf = useRef(hotLeaf);
  useLayoutEffect(() => {
    if (lastHotLeaf.current === hotLeaf) return;
    const opened = deltaHotPath(whole, lastHotLeaf.current);
    lastHotLeaf.current = hotLeaf;
    if (opened.size !== shown.size || ![...opened].every((node) => shown.has(node))) return;
    setShown(deltaHotPath(whole, hotLeaf));
    setFocus(hotLeaf);
  }, [hotLeaf]);
  useLayoutEffect(() => {
    scrollTo(viewport.current!, laid.places.get(focused.id)!, zoom, hasMap ? corner(laid) : null);
    // Not left to the observer, which is a frame late: boxes that come in sight would be missing until then.
    see();
  }, [focused.id, laid, zoom]);
  useLayoutEffect(() => {
    if (taken > 0) document.getElementById(boxId(focused.id))?.focus({ preventScroll: true });
  }, [taken]);

  const select = (node: number) => {
    setFocus(node);
    store.select({ function: blueprint.function[node], path: pathOf(blueprint, node) });
  };
  const goToBox = (id: number) => {
    setFocus(id);
    takeFocus();
  };
  const goTo = (node: number) => {
    if (!shown.has(node)) setShown(showPath(whole, shown, node));
    if (!shown.has(node) || drawing.byId.get(node)?.fold !== null) setUnfolded(new Set([...unfolded, node]));
    goToBox(node);
  };
  const open = (folds: Drawn[]) => {
    setTip(null);
    setUnfolded(new Set([...unfolded, ...folds.flatMap(({ members }) => members)]));
    const libraries = folds.filter(({ fold }) => fold === "libraries").flatMap(({ members }) => members);
    setShown(new Set([...shown, ...libraries.slice(0, Math.max(0, MOST_SHOWN - shown.size))]));
    goToBox(folds[0].members[0]);
  };
  const goToHotPath = () => {
    setShown(deltaHotPath(whole, hotLeaf));
    goToBox(hotLeaf);
  };
  const goToMatch = (step: 1 | -1) => {
    if (matches.length === 0) return false;
    const from = focused.members[0];
    const at = matches.findIndex((node) => node >= from);
    const isOn = matches[at] === from && focused.fold === null;
    const next = step === 1 ? (isOn ? at + 1 : at === -1 ? 0 : at) : at === -1 ? matches.length - 1 : at - 1;
    goTo(matches[(next + matches.length) % matches.length]);
    return true;
  };

  /** A library that is folded has nothing below it to show. */
  const isClosed = (node: number) => foldsLibraries && outside[node] === 1 && outside[blueprint.parent[node]] === 0 && !unfolded.has(node);
  const actions = (box: Drawn): Action[] => {
    const { members } = box;
    const last = members[members.length - 1];
    const isOne = box.fold === null || box.fold === "chain";
    const folds = box.fold === null ? box.children.filter(({ fold }) => fold === "rest" || fold === "libraries") : [box];
    const around = isOne ? unfoldedAround(whole, unfolded, last) : [];
    return [
      { id: "hot-path", words: "Show delta hot path", possible: isOne && whole.children[last].length > 0, run: () => setShown(showPath(whole, shown, endOf(blueprint.hotBelow[last], last))) },
      { id: "children", words: "Show children", possible: isOne && box.hidden > 0, run: () => setShown(showChildren(whole, shown, last, measure)) },
      { id: "all", words: "Show all below", possible: isOne && hiddenBelow(whole, shown, last, isClosed).length > 0, run: () => setShown(showAllBelow(whole, shown, last, measure, isClosed)) },
      { id: "hide", words: "Hide all below", possible: isOne && hasShown(whole, shown, last), run: () => setShown(hideAllBelow(whole, shown, last)) },
      { id: "unfold", words: "Unfold", possible: folds.length > 0, run: () => open(folds) },
      { id: "fold", words: "Fold again", possible: around.length > 0, run: () => setUnfolded(new Set([...unfolded].filter((node) => !around.includes(node)))) },
    ];
  };
  const openMenu = (box: number, x: number, y: number) => {
    setFocus(box);
    setTip(null);
    setMenu({ box, x, y });
  };
  const closeMenu = useCallback(() => {
    setMenu(null);
    takeFocus();
  }, []);
  const besideBox = (id: number): [number, number] => {
    const box = document.getElementById(boxId(id))?.querySelector(".fill")?.getBoundingClientRect();
    return box ? [box.right, box.bottom] : [0, 0];
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { boxes } = drawing;
    const { id, fold, children, hidden } = focused;
    const last = focused.members[focused.members.length - 1];
    const at = boxes.indexOf(focused);
    if (event.key === "ArrowDown") goToBox(boxes[Math.min(boxes.length - 1, at + 1)].id);
    else if (event.key === "ArrowUp") goToBox(boxes[Math.max(0, at - 1)].id);
    else if (event.key === "Home") goToBox(0);
    else if (event.key === "End") goToBox(boxes[boxes.length - 1].id);
    else if (event.key === "ArrowRight" && fold !== null && children.length === 0) open([focused]);
    else if (event.key === "ArrowRight" && children.length > 0) goToBox(children[0].id);
    else if (event.key === "ArrowRight") setShown(showChildren(whole, shown, last, measure));
    else if (event.key === "ArrowLeft" && children.length > 0 && hidden === 0) setShown(hideAllBelow(whole, shown, last));
    else if (event.key === "ArrowLeft") goToBox(Math.max(0, focused.parent));
    else if (event.key === "Enter" || event.key === " ") {
      if (fold !== null) open([focused]);
      else select(id);
      if (fold === null && event.key === "Enter") document.querySelector(".diff")?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "ContextMenu" || event.key === "m" || (event.key === "F10" && event.shiftKey)) openMenu(id, ...besideBox(id));
    else if (event.key === "Escape" && tip !== null) setTip(null);
    else return;
    event.preventDefault();
  };

  const switchLibraries = () => {
    if (!foldsLibraries) setUnfolded(new Set([...unfolded].filter((node) => outside[node] === 0)));
    store.setModes({ libraries: foldsLibraries ? "shown" : "folded" });
  };
  useKeys([
    { key: "h", what: "Only the delta hot path", where: WHERE, run: goToHotPath },
    { key: "m", what: "Menu of the focused box (in the tree also the Menu key, Shift+F10)", where: WHERE, run: () => openMenu(focused.id, ...besideBox(focused.id)) },
    { key: "l", what: "Fold libraries, or show them", where: WHERE, run: () => (hasLibraries ? switchLibraries() : false) },
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
    () => picture({ payload, tree: whole, drawing, measure, laid, zoom, sideways, sight, focus: focused.id, selected, matches }),
    [payload, whole, drawing, measure, laid, zoom, sideways, sight, focused.id, selected, matches],
  );
  const saved = blueprintSaved(comparison, shown, { payload, tree: whole, drawing, measure, laid, selected, matches });
  const pointed = tip === null ? undefined : drawing.byId.get(tip.box);
  const menuBox = menu === null ? undefined : drawing.byId.get(menu.box);

  return (
    <div class="blueprint">
      <HotPath payload={payload} whole={whole} measure={measure} end={hotLeaf} onGo={goToHotPath} />
      <div class="contexts-bar" role="toolbar" aria-label="Blueprint">
        <button onClick={goToHotPath}>
          Delta hot path<kbd aria-hidden="true">h</kbd>
        </button>
        <button data-action="menu" aria-haspopup="menu" onClick={() => openMenu(focused.id, ...besideBox(focused.id))}>
          Show or hide…<kbd aria-hidden="true">m</kbd>
        </button>
        {hasLibraries && (
          <button data-action="libraries" aria-pressed={foldsLibraries} onClick={switchLibraries}>
            Fold libraries<kbd aria-hidden="true">l</kbd>
          </button>
        )}
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
        {exceeds && (
          <button data-action="map" aria-pressed={wantsMap} onClick={() => setWantsMap(!wantsMap)}>
            Map
          </button>
        )}
        <SearchField query={query} placeholder="function" field={searchField} onQuery={setQuery} onNext={() => goToMatch(1)} />
        <span class="dim count" role="status">
          {query !== "" && `${integer(matches.length)} ${matches.length === 1 ? "match" : "matches"} of “${query}” · `}
          {integer(shown.size)} of {integer(total)} contexts shown
          {drawing.folded > 0 && `, ${integer(drawing.folded)} folded`}
        </span>
        <SaveMenu {...{ saved, modes }} />
      </div>
      {shown.size >= MOST_SHOWN && shown.size < total && (
        <p class="capped" role="status">
          The {integer(shown.size)} contexts with the largest differences are shown. To find others, search (/), or <button class="link" onClick={goToHotPath}>go back to the hot path</button> and show the children of what
          interests you; the flame graphs hold all {integer(total)}.
        </p>
      )}
      <Printed {...{ saved, modes }} />
      <div class="stage">
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
            // Every box can be scrolled out from under the map.
            height={laid.height * zoom + (hasMap ? corner(laid).height : 0)}
            onPointerMove={(event) => {
              const box = boxUnder(event);
              if (box < 0 || menu !== null) setTip(null);
              else setTip({ box, x: event.clientX, y: event.clientY });
            }}
            onPointerLeave={() => setTip(null)}
            onClick={(event) => {
              const box = drawing.byId.get(boxUnder(event));
              // The second click of two is on what the first one unfolded.
              if (box === undefined || (event.detail > 1 && hasJustUnfolded.current)) return;
              hasJustUnfolded.current = box.fold !== null;
              if (box.fold === null) select(box.id);
              else open([box]);
            }}
            onDblClick={(event) => {
              const box = drawing.byId.get(boxUnder(event));
              if (box === undefined || box.fold !== null || hasJustUnfolded.current) return;
              setShown(box.hidden > 0 ? showChildren(whole, shown, box.id, measure) : hideAllBelow(whole, shown, box.id));
            }}
            onContextMenu={(event) => {
              const box = boxUnder(event);
              if (box < 0) return;
              event.preventDefault();
              openMenu(box, event.clientX, event.clientY);
            }}
          >
            <g transform={`translate(${sideways},0) scale(${zoom})`}>
              {drawn.edges}
              <g
                role="tree"
                aria-label={`Calling contexts of ${comparison.before.label} and ${comparison.after.label}`}
                onKeyDown={onKeyDown}
                onFocusCapture={(event) => {
                  const box = boxUnder(event);
                  if (box < 0) return;
                  setFocus(box);
                  if (!(event.target as Element).matches(":focus-visible")) return;
                  const [x, y] = besideBox(box);
                  setTip({ box, x, y });
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
        {hasMap && (
          <Minimap
            {...{ payload, blueprint, drawing, measure, laid, zoom, sight }}
            onMove={(x, y) => viewport.current!.scrollTo({ left: x - sight.width / 2, top: y - sight.height / 2, behavior: "instant" })}
          />
        )}
      </div>
      {pointed?.fold === null && <Tooltip payload={payload} comparison={comparison} measure={measure} node={pointed.id} x={tip!.x} y={tip!.y} />}
      {pointed !== undefined && pointed.fold !== null && <FoldTip payload={payload} comparison={comparison} tree={whole} box={pointed} measure={measure} x={tip!.x} y={tip!.y} />}
      {menuBox !== undefined && (
        <Menu
          label={`Show for ${menuBox.fold === null ? ownName(payload, blueprint.function[menuBox.id]) : foldName(payload, whole, menuBox)}`}
          actions={actions(menuBox)}
          x={menu!.x}
          y={menu!.y}
          onClose={closeMenu}
        />
      )}
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
  ["Enter", "Select, and go to the source diff; unfold"],
];

/** Nodes in order whose function has the query in its name. */
function find(payload: Payload, { blueprint }: Tree, query: string): number[] {
  const word = query.trim().toLowerCase();
  if (word === "") return [];
  const hits = new Set([...payload.functions.name.keys()].filter((of) => fullName(payload, of).toLowerCase().includes(word)));
  return [...blueprint.function.keys()].filter((node) => hits.has(blueprint.function[node]));
}
