import { type RowOf, wrap } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import { markedSpans } from "../marked.js";
import type { OverlayKind } from "../overlay.js";
import { listSpots } from "../spots.js";
import { lineBox } from "../text-box.js";
import { windowFrom } from "../window.js";
import { pressed, typedIn } from "./keys.js";
import { type Found, matches } from "./matches.js";
import type { PickOverlay } from "./state.js";

const WIDEST = 84;
const NARROWEST = 48; // its foot is there whole
const MOST = 16;
const PROMPT = "› ";

/** The filter, below it what it lets through. What can not be chosen is dimmed and has its reason in place of its detail. */
export const PICK_KIND: OverlayKind<PickOverlay> = {
  context: "pick",
  draw: (_state, overlay, room) => {
    const width = Math.min(room.width, WIDEST, Math.max(NARROWEST, widestOf(overlay)));
    const box = lineBox({ text: overlay.filter, cursor: overlay.filter.length }, width - PROMPT.length);
    const found = matches(overlay);
    const at = Math.min(overlay.at, found.length - 1);
    const reason = found[at]?.item.refused;
    const why = reason === undefined ? [] : wrap(reason, width - 2).map((line): RowOf => [[THEME.warn, ` ${line}`]]);
    const height = Math.max(1, Math.min(MOST, room.height - 1 - (room.height > 3 + why.length ? why.length : 0)));
    const from = windowFrom(found.length, height, at);
    const column = labelColumn(found, width);
    const list = found
      .slice(from, from + height)
      .map((one, index) => itemRow(one, { marked: from + index === at, column, width }));
    const rows: RowOf[] = [
      [
        [THEME.accent, PROMPT],
        [THEME.text, truncateToWidth(box.lines[0] ?? "", width - 2)],
      ],
      ...(found.length === 0 ? [nothing(overlay)] : list),
    ];
    return {
      title: overlay.title,
      width,
      foot: footOf(overlay, found.length),
      rows: room.height > 3 + why.length ? [...rows, ...why] : rows,
      spots: listSpots(1, { first: from, count: list.length }, pressed),
      cursor: { x: PROMPT.length + box.cursor.x, y: 0 },
    };
  },
  typed: typedIn,
};

const nothing = ({ items, filter }: PickOverlay): RowOf => [
  [
    THEME.dim,
    items === undefined ? " loading…" : filter === "" ? " nothing to choose from" : ` nothing matches ${filter}`,
  ],
];

const footOf = ({ items, filter }: PickOverlay, count: number): string =>
  `${filter === "" ? "type to filter" : `${count} of ${items?.length ?? 0}`} · Enter chooses · Esc cancels`;

const widestOf = ({ items = [], title }: PickOverlay): number => {
  const label = Math.max(0, ...items.map((one) => textCells(one.label)));
  const detail = Math.max(0, ...items.map((one) => textCells(one.refused ?? one.detail)));
  return Math.max(textCells(title) + 4, label + (detail > 0 ? detail + 2 : 0) + 2);
};

/** Details stand below each other, behind the longest label, but keep at least two fifths of the row. */
const labelColumn = (found: readonly Found[], width: number): number =>
  Math.min(Math.max(1, ...found.map(({ item }) => textCells(item.label))), Math.floor((width - 2) * 0.6));

interface RowLook {
  readonly marked: boolean;
  readonly column: number;
  readonly width: number;
}

function itemRow({ item, marks }: Found, { marked, column, width }: RowLook): RowOf {
  const refused = item.refused !== undefined;
  const plain = marked ? THEME.selection : refused ? THEME.dim : THEME.text;
  const label = markedSpans(item.label, marks, column, { plain, mark: marked ? THEME.selection : THEME.accent });
  const used = label.reduce((sum, [, text]) => sum + textCells(text), 0);
  const detail = truncateToWidth(item.refused ?? item.detail, Math.max(0, width - column - 4));
  return [
    [plain, marked ? "›" : " "],
    [plain, refused ? "×" : " "],
    ...label,
    [plain, " ".repeat(Math.max(0, column - used))],
    [THEME.dim, detail === "" ? "" : `  ${detail}`],
  ];
}
