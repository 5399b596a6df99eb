import { keyLabels } from "../../../lib/proto/screen-keys.js";
import type { RowOf } from "../../canvas.js";
import type { Binding, Context, State } from "../../state.js";
import { THEME } from "../../theme.js";
import { fit, textCells } from "../../width.js";
import type { OverlayKind } from "../overlay.js";
import { windowFrom } from "../window.js";
import { pressed, typedIn } from "./keys.js";
import { helpRows } from "./rows.js";
import type { HelpOverlay } from "./state.js";

const WIDEST = 100;
const PROMPT = "/ ";

/** Every key with what it does, by context. The row that Enter would run is inverse. */
export const HELP_KIND: OverlayKind<HelpOverlay> = {
  context: "help",
  draw: (state, overlay, room) => {
    const width = Math.min(room.width, WIDEST);
    const found = helpRows(state, overlay);
    const at = Math.min(overlay.at, found.length - 1);
    const { rows, marked, places } = withHeads(state, found, { at, width });
    const filter = overlay.typing || overlay.filter !== "" ? [filterRow(overlay)] : [];
    const height = Math.max(1, room.height - filter.length);
    const from = windowFrom(rows.length, height, marked);
    const shown = rows.length === 0 ? [nothing(overlay)] : rows.slice(from, from + height);
    return {
      ...{ title: `Keys · ${nameOf(state)}`, width, foot: "/ filter · Enter does it · Esc closes" },
      rows: [...filter, ...shown],
      spots: places.slice(from, from + height).flatMap((place, y) => (place < 0 ? [] : [{ y: filter.length + y, act: pressed(place) }])),
      ...(rows.length > height ? { scroll: { top: from, shown: height, total: rows.length } } : {}),
      ...(overlay.typing ? { cursor: { x: PROMPT.length + textCells(overlay.filter), y: 0 } } : {}),
    };
  },
  typed: typedIn,
};

const filterRow = ({ filter }: HelpOverlay): RowOf => [
  [THEME.accent, PROMPT],
  [THEME.text, filter],
];

const nothing = ({ filter }: HelpOverlay): RowOf => [[THEME.dim, ` no key has the words ${filter}`]];

interface Place {
  readonly at: number;
  readonly width: number;
}

function withHeads(state: State, found: readonly Binding[], { at, width }: Place) {
  const rows: RowOf[] = [];
  const places: number[] = []; // of the keys in each row; -1: it is a head
  let marked = 0;
  let context: Context | undefined;
  for (const [index, binding] of found.entries()) {
    if (binding.context !== context) {
      if (context !== undefined) rows.push([]);
      context = binding.context;
      rows.push([[THEME.heading, NAMES[context] ?? context]]);
    }
    while (places.length < rows.length) places.push(-1);
    places.push(index);
    if (index === at) marked = index === 0 ? 0 : rows.length;
    rows.push(bindingRow(binding, { marked: index === at, changed: state.changedKeys.has(binding.id), width }));
  }
  return { rows, marked, places };
}

const nameOf = ({ below, focus }: State): string => (below === undefined ? focus : (NAMES[below.kind] ?? below.kind));

const NAMES: Readonly<Partial<Record<Context, string>>> = {
  list: "in a pane",
  dialog: "in a dialog",
  form: "in a form",
  pick: "in a list to choose from",
};

interface Look {
  readonly marked: boolean;
  readonly changed: boolean;
  readonly width: number;
}

function bindingRow({ keys, label }: Binding, { marked, changed, width }: Look): RowOf {
  const column = Math.min(34, Math.floor(width * 0.42));
  const names = fit(keyLabels(keys), column);
  const gap = " ".repeat(Math.max(0, column - textCells(names)) + 1);
  const note = changed ? " (keys.yaml)" : "";
  const style = marked ? THEME.selection : undefined;
  return [
    [style ?? THEME.accent, `${changed ? "*" : " "}${marked ? "›" : " "}${names}${gap}`],
    [style ?? THEME.text, fit(label, Math.max(0, width - column - 3 - note.length))],
    [THEME.warn, note],
  ];
}
