import { keyLabels } from "../../../lib/contracts/ui/screen-keys.js";
import { type RowOf, wrap } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { Binding, Context, State } from "../../model/state.js";
import type { OverlayKind } from "../overlay.js";
import { windowFrom } from "../window.js";
import { pressed, typedIn } from "./keys.js";
import { firstRows, helpRows } from "./rows.js";
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
    const first = firstRows(state, overlay).length;
    const { rows, marked, places } = withHeads(state, found, { at, width, first });
    const filter = [
      ...problemRows(state, width),
      ...(overlay.typing || overlay.filter !== "" ? [filterRow(overlay)] : []),
    ];
    const height = Math.max(1, room.height - filter.length);
    const from = windowFrom(rows.length, height, marked);
    const shown = rows.length === 0 ? [nothing(overlay)] : rows.slice(from, from + height);
    return {
      title: `Keys · ${nameOf(state)}`,
      width,
      foot: "/ filter · Enter runs it · Esc closes",
      rows: [...filter, ...shown],
      spots: places
        .slice(from, from + height)
        .flatMap((place, y) => (place < 0 ? [] : [{ y: filter.length + y, act: pressed(place) }])),
      ...(rows.length > height ? { scroll: { top: from, shown: height, total: rows.length } } : {}),
      ...(overlay.typing ? { cursor: { x: PROMPT.length + textCells(overlay.filter), y: filter.length - 1 } } : {}),
    };
  },
  typed: typedIn,
};

/** What keys.yaml asks for and does not get. */
const problemRows = ({ keyProblems }: State, width: number): readonly RowOf[] =>
  keyProblems.flatMap((problem) => wrap(problem, width - 2)).map((line): RowOf => [[THEME.warn, ` ${line}`]]);

const filterRow = ({ filter }: HelpOverlay): RowOf => [
  [THEME.accent, PROMPT],
  [THEME.text, filter],
];

const nothing = ({ filter }: HelpOverlay): RowOf => [[THEME.dim, ` No key matches “${filter}”.`]];

interface Place {
  readonly at: number;
  readonly width: number;
  /** Rows at the beginning that stand under a head of their own. */
  readonly first: number;
}

function withHeads(state: State, found: readonly Binding[], { at, width, first }: Place) {
  const rows: RowOf[] = [];
  const places: number[] = []; // of the keys in each row; -1: it is a head
  let marked = 0;
  let head: string | undefined;
  for (const [index, binding] of found.entries()) {
    const name = index < first ? "most used" : (NAMES[binding.context] ?? binding.context);
    if (name !== head) {
      if (head !== undefined) rows.push([]);
      head = name;
      rows.push([[THEME.heading, name]]);
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
  pick: "in a picker",
};

interface Look {
  readonly marked: boolean;
  readonly changed: boolean;
  readonly width: number;
}

function bindingRow({ keys, label }: Binding, { marked, changed, width }: Look): RowOf {
  const column = Math.min(34, Math.floor(width * 0.42));
  const names = truncateToWidth(keys.length === 0 ? "no key" : keyLabels(keys), column);
  const gap = " ".repeat(Math.max(0, column - textCells(names)) + 1);
  const note = changed ? " (keys.yaml)" : "";
  const style = marked ? THEME.selection : undefined;
  return [
    [style ?? THEME.accent, `${changed ? "*" : " "}${marked ? "›" : " "}${names}${gap}`],
    [style ?? THEME.text, truncateToWidth(label, Math.max(0, width - column - 3 - note.length))],
    [THEME.warn, note],
  ];
}
