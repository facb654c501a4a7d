// The modes every view draws in, as buttons that say the current one, each with its key; the link to what is selected; the help.

import { linkTo } from "./address";
import { CopyButton } from "./copy";
import { useKeys } from "./keys";
import { type Modes, type Store, useStore } from "./state";

interface Switch<Mode extends keyof Modes> {
  mode: Mode;
  label: string;
  key?: string;
  /** Value and its words; pressing goes to the next. */
  values: [Modes[Mode], string][];
}

const MEASURE: Switch<"measure"> = { mode: "measure", label: "Cost", key: "t", values: [["inclusive", "inclusive"], ["self", "self"]] };
const SCALE: Switch<"scale"> = { mode: "scale", label: "Scale", key: "a", values: [["absolute", "absolute"], ["share", "share of total"]] };
const PALETTE: Switch<"palette"> = { mode: "palette", label: "Colours", key: "c", values: [["paper", "red / green"], ["blind", "red / blue"]] };
const THEME: Switch<"theme"> = { mode: "theme", label: "Theme", values: [["auto", "system"], ["light", "light"], ["dark", "dark"]] };

export function Toolbar({ store, onHelp }: { store: Store; onHelp: () => void }) {
  const { modes } = useStore(store);
  const hasTrees = store.payload.comparisons.length > 0;
  const switches = (hasTrees ? [MEASURE, SCALE, PALETTE, THEME] : [PALETTE, THEME]) as Switch<keyof Modes>[];
  const next = ({ mode, values }: Switch<keyof Modes>) => {
    const at = values.findIndex(([value]) => value === modes[mode]);
    store.setModes({ [mode]: values[(at + 1) % values.length]![0] });
  };
  useKeys([
    ...switches.flatMap((each) =>
      each.key
        ? [{ key: each.key, what: `${each.label}: ${each.values.map(([, words]) => words).join(" or ")}`, where: "Everywhere", run: () => next(each) }]
        : [],
    ),
    { key: "?", what: "This help", where: "Everywhere", run: onHelp },
  ]);
  return (
    <div class="toolbar" role="group" aria-label="Modes">
      {switches.map((each) => {
        const words = each.values.find(([value]) => value === modes[each.mode])![1];
        return (
          <button key={each.mode} data-mode={each.mode} data-value={modes[each.mode]} onClick={() => next(each)}>
            <span class="dim">{each.label}</span> {words}
            {each.key && <kbd aria-hidden="true">{each.key}</kbd>}
          </button>
        );
      })}
      <CopyButton text={linkTo(store, window)} label="Copy link" title="The address of this page with what is selected in it" />
      <button onClick={onHelp} aria-haspopup="dialog">
        Help<kbd aria-hidden="true">?</kbd>
      </button>
    </div>
  );
}
