// The menu that saves a view: its picture as SVG or PNG, and its numbers as CSV. It says what it saved.

import type { ComponentChild } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Colors } from "../colors";
import { integer, share } from "../format";
import { Menu } from "../menu";
import type { Modes } from "../state";
import { useColors, useIsDark } from "../theme";
import { download, fileName } from "./file";
import { MOST_PIXELS, type Picture, pictureOf, png, stacked, svg, titled } from "./picture";

/** The colours to draw in. */
export interface Look {
  colors: Colors;
  dark: boolean;
}

/** A view that can be saved, and printed. */
export interface Saved {
  /** Parts of the file's name: project, view, benchmark, pair. */
  name: string[];
  /** Of the picture: one line. */
  title: string;
  picture: (look: Look) => Picture;
  /** Its parts, where the whole picture is too large to be read on paper. */
  sheets?: (look: Look) => Sheet[];
  /** The meaning of its marks and colours. */
  legend?: (modes: Modes) => ComponentChild;
  csv: () => string;
}

/** A picture on paper. */
export interface Sheet {
  title: string;
  picture: Picture;
}

/** The picture with its legend. */
export function drawn(saved: Saved, modes: Modes, look: Look): Picture {
  return aboveLegend(saved.picture(look), saved, modes, look);
}

/** What is printed, the legend below the last of them. */
export function sheetsOf(saved: Saved, modes: Modes, look: Look): Sheet[] {
  const sheets = saved.sheets?.(look) ?? [{ title: saved.title, picture: saved.picture(look) }];
  return sheets.map((sheet, at) => (at < sheets.length - 1 ? sheet : { ...sheet, picture: aboveLegend(sheet.picture, saved, modes, look) }));
}

function aboveLegend(picture: Picture, { legend }: Saved, modes: Modes, look: Look): Picture {
  if (legend === undefined) return picture;
  const inLook: Modes = { ...modes, theme: look.dark ? "dark" : "light" };
  return stacked([picture, pictureOf("legend", () => legend(inLook), Math.max(picture.width, LEAST_LEGEND))]);
}

/** Pixels. */
const LEAST_LEGEND = 640;
/** Milliseconds for which it says what it did. */
const SAID = 8000;

export function SaveMenu({ saved, modes }: { saved: Saved; modes: Modes }) {
  const look = { colors: useColors(modes), dark: useIsDark(modes) };
  const button = useRef<HTMLButtonElement>(null);
  const [place, setPlace] = useState<{ x: number; y: number } | null>(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), SAID);
    return () => clearTimeout(timer);
  }, [said]);
  const close = useCallback(() => {
    setPlace(null);
    button.current?.focus({ preventScroll: true });
  }, []);
  const save = (kind: Kind) => () => {
    files[kind](saved, () => drawn(saved, modes, look)).then(setSaid, (error: unknown) => setSaid(`Saving failed: ${error instanceof Error ? error.message : String(error)}`));
  };
  return (
    <span class="save">
      <span class="dim" role="status">
        {said}
      </span>
      <button
        ref={button}
        aria-haspopup="menu"
        aria-expanded={place !== null}
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          setPlace({ x: left, y: bottom + 4 });
        }}
      >
        Save…
      </button>
      {place !== null && (
        <Menu
          label={`Save ${saved.title}`}
          actions={[
            { id: "svg", words: "Picture, SVG", possible: true, run: save("svg") },
            { id: "png", words: "Picture, PNG", possible: true, run: save("png") },
            { id: "csv", words: "Numbers, CSV", possible: true, run: save("csv") },
          ]}
          {...place}
          onClose={close}
        />
      )}
    </span>
  );
}

type Kind = "svg" | "png" | "csv";

/** Each says what it saved. */
const files: Record<Kind, (saved: Saved, picture: () => Picture) => Promise<string>> = {
  async svg({ name, title }, picture) {
    const file = fileName(name, "svg");
    download(file, new Blob([svg(titled(picture(), title), title)], { type: "image/svg+xml" }));
    return `Saved ${file}`;
  },
  async png({ name, title }, picture) {
    const file = fileName(name, "png");
    const { blob, scale } = await png(titled(picture(), title));
    download(file, blob);
    return `Saved ${file}${scale < 1 ? `, at ${share(scale)} of its size: a PNG has ${integer(MOST_PIXELS)} pixels at most, an SVG has all` : ""}`;
  },
  async csv({ name, csv }) {
    const file = fileName(name, "csv");
    download(file, new Blob([csv()], { type: "text/csv;charset=utf-8" }));
    return `Saved ${file}`;
  },
};
