import { age } from "../../draw/ages.js";
import { type RowOf, type Span, wrap } from "../../draw/canvas.js";
import { GLYPH } from "../../draw/glyphs.js";
import { bold, THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { State } from "../../model/state.js";
import { markedSpans } from "../marked.js";
import type { Drawn, OverlayKind, Room, Spot } from "../overlay.js";
import { lineSpot, wordSpots } from "../spots.js";
import { lineBox } from "../text-box.js";
import { windowFrom } from "../window.js";
import type { SessionsOverlay } from "./state.js";
import { answeredBy, editLine, type Listed, listed, nameOf, pressed, typedIn } from "./update.js";

const WIDEST = 150;
const MOST = 24;
const PREVIEW_FROM = 100; // narrower, the right half is left out
const LIST_SHARE = 0.62;

/** The sessions at the left, the last exchange of the one at hand at the right, below them what is asked. */
export const SESSIONS_KIND: OverlayKind<SessionsOverlay> = {
  context: "sessions",
  draw: (state, overlay, room) => {
    const width = Math.min(room.width, WIDEST);
    const left = width < PREVIEW_FROM ? width : Math.floor(width * LIST_SHARE);
    const line = lineOf(overlay, width);
    const height = Math.max(1, Math.min(MOST, room.height - (line === undefined ? 0 : 1)));
    const { rows, top, total, places } = listRows(state, overlay, { width: left - (left < width ? 1 : 0), height });
    const right = left < width ? previewRows(overlay, { width: width - left - 2, height }) : [];
    const joined = Array.from({ length: height }, (_, at): RowOf => beside(rows[at] ?? [], right[at], left));
    return {
      title: titleOf(overlay),
      width,
      foot: footOf(overlay, width),
      rows: [...joined, ...(line === undefined ? [] : [line.row])],
      spots: [
        ...places.map(([y, at]) => ({ y, to: left, act: pressed(at) })),
        ...(line === undefined ? [] : lineSpots(overlay, line, { width, y: height })),
      ],
      ...(line?.x === undefined ? {} : { cursor: { x: line.x, y: height } }),
      ...(total > height ? { scroll: { top, shown: height, total } } : {}),
    } satisfies Drawn;
  },
  typed: typedIn,
};

const titleOf = ({ all, archived, marked }: SessionsOverlay): string =>
  `Sessions${archived ? " · archived" : ""}${all ? " · all directories" : ""}${marked.size > 0 ? ` · ${marked.size} marked` : ""}`;

function footOf({ asking, typing }: SessionsOverlay, width: number): string {
  if (asking !== undefined)
    return asking.what === "delete" ? "d deletes · any other key keeps" : "Enter confirms · Esc back";
  if (typing) return "Enter searches the contents · Esc back";
  return width < 70
    ? "Enter · n new · / search · F1 keys"
    : "Enter open · n new · r rename · f fork · a archive · x delete · e export · p pin · d dirs · / search";
}

/** What can be pressed in the line below the list: an answer, or the text that is typed. */
function lineSpots(
  { asking, filter }: SessionsOverlay,
  line: { row: RowOf },
  { width, y }: { width: number; y: number },
): readonly Spot[] {
  const [[, prompt] = [0, ""]] = line.row;
  if (asking?.what === "delete") return wordSpots(y, [prompt], ANSWERS);
  return [
    lineSpot({ from: prompt.length, width: Math.max(1, width - prompt.length), y }, asking?.input ?? filter, editLine),
  ];
}

const ANSWERS = [
  ["[d]elete", answeredBy("d")],
  ["[k]eep", answeredBy("k")],
] as const;

/** The line of input below the list, and the column of its cursor. */
function lineOf(
  { asking, typing, filter, hits }: SessionsOverlay,
  width: number,
): { row: RowOf; x?: number } | undefined {
  if (asking?.what === "delete")
    return { row: [[THEME.warn, truncateToWidth(` ${asking.text} [d]elete [k]eep`, width)]] };
  if (asking === undefined && !typing && filter.text === "" && hits === undefined) return undefined;
  const prompt =
    asking === undefined
      ? "/ "
      : asking.what === "rename"
        ? " title: "
        : asking.ids.length > 1
          ? " export to folder: "
          : " export to (.md .json .jsonl): ";
  const box = lineBox(asking?.input ?? filter, Math.max(1, width - prompt.length));
  const row: RowOf = [
    [THEME.accent, prompt],
    [THEME.text, truncateToWidth(box.lines[0] ?? "", Math.max(1, width - prompt.length))],
  ];
  return asking !== undefined || typing ? { row, x: Math.min(width - 1, prompt.length + box.cursor.x) } : { row };
}

function beside(list: RowOf, preview: RowOf | undefined, left: number): RowOf {
  if (preview === undefined) return list;
  const used = list.reduce((sum, [, text]) => sum + textCells(text), 0);
  return [...list, [THEME.text, " ".repeat(Math.max(0, left - 1 - used))], [THEME.border, `${GLYPH.bar} `], ...preview];
}

interface Rows {
  readonly rows: readonly RowOf[];
  readonly top: number;
  readonly total: number;
  /** Row and session that stands in it. */
  readonly places: readonly (readonly [y: number, at: number])[];
}

function listRows(state: State, overlay: SessionsOverlay, { width, height }: Room): Rows {
  const { rows } = overlay;
  if (rows.state === "loading") return { rows: [[[THEME.dim, " loading…"]]], top: 0, total: 1, places: [] };
  if (rows.state === "failed")
    return {
      rows: wrap(rows.message, width - 2).map((line): RowOf => [[THEME.error, ` ${line}`]]),
      top: 0,
      total: 1,
      places: [],
    };
  const found = listed(overlay);
  if (found.length === 0)
    return { rows: [[[THEME.dim, truncateToWidth(` ${emptyText(overlay)}`, width)]]], top: 0, total: 1, places: [] };
  const all: RowOf[] = [];
  const at: [number, number][] = [];
  let marked = 0;
  for (const [place, one] of found.entries()) {
    if (place === overlay.at) marked = all.length;
    at.push([all.length, place]);
    all.push(sessionRow(state, one, { overlay, at: place, width }));
    if (one.snippet !== "") at.push([all.length, place]);
    if (one.snippet !== "") all.push(snippetRow(one.snippet, width));
  }
  const top = windowFrom(all.length, height, marked);
  const places = at.flatMap(([y, place]): [number, number][] =>
    y < top || y >= top + height ? [] : [[y - top, place]],
  );
  return { rows: all.slice(top, top + height), top, total: all.length, places };
}

/** The owner marks what matches as `>>>word<<<`; here it stands out. */
function snippetRow(snippet: string, width: number): RowOf {
  const spans: Span[] = [[THEME.dim, "     "]];
  let left = width - 5;
  for (const [at, part] of snippet.split(/>>>|<<</).entries()) {
    const text = truncateToWidth(part, Math.max(0, left));
    left -= textCells(text);
    spans.push([at % 2 === 1 ? bold(THEME.accent) : THEME.dim, text]);
    if (left <= 0) break;
  }
  return spans;
}

function emptyText({ filter, hits, archived, all }: SessionsOverlay): string {
  if (hits !== undefined) return `No matches for “${filter.text}”.`;
  if (filter.text !== "") return `No title matches “${filter.text}”. Press Enter to search the messages.`;
  return `there are no ${archived ? "archived " : ""}sessions${all ? "" : " of this directory; d shows all"}`;
}

interface Place {
  readonly overlay: SessionsOverlay;
  readonly at: number;
  readonly width: number;
}

function sessionRow(state: State, { row, marks }: Listed, { overlay, at, width }: Place): RowOf {
  const here = at === overlay.at;
  const plain = here ? THEME.selection : row.id === state.session.id ? THEME.bold : THEME.text;
  const facts = factsOf(state, row, { width, all: overlay.all });
  const cells = Math.max(4, width - 5 - textCells(facts));
  const name = markedSpans(nameOf(row), marks, cells, { plain, mark: here ? THEME.selection : THEME.accent });
  const gap = cells - name.reduce((sum, [, text]) => sum + textCells(text), 0);
  const [style, glyph] = stateGlyph(row);
  const left: Span[] = [
    [plain, here ? "›" : overlay.marked.has(row.id) ? "*" : " "],
    [THEME.accent, row.pinned ? "^" : " "],
    [style, glyph],
    [plain, " "],
  ];
  return [...left, ...name, [plain, " ".repeat(Math.max(0, gap))], [THEME.dim, facts]];
}

function stateGlyph({ questions, running, archived }: Listed["row"]): Span {
  if (questions > 0) return [THEME.warn, "?"];
  if (running) return [THEME.ok, GLYPH.live];
  return archived ? [THEME.dim, GLYPH.archived] : [THEME.dim, GLYPH.ok];
}

/** Columns that keep their place; those at the left go first when there is little room. */
function factsOf(
  { wall }: State,
  { cwd, model, messages, cost, last_active_at: last }: Listed["row"],
  { width, all }: { readonly width: number; readonly all: boolean },
): string {
  const column = (text: string, cells: number) => {
    const cut = truncateToWidth(text, cells);
    return `  ${cut}${" ".repeat(cells - textCells(cut))}`;
  };
  const when = (wall > last ? age(wall - last) : "now").padStart(8);
  const counts = `${String(messages).padStart(6)} ${cost === null ? "".padStart(7) : `$${cost.toFixed(2)}`.padStart(7)}`;
  if (width < 50) return `${when}`;
  if (width < 64) return `${counts}${when}`;
  const directory = column(cwd.split("/").at(-1) ?? "", 12);
  // Of all directories it matters more where a conversation was held than with what.
  const served = column(model.split("/").at(-1) ?? "", 12);
  return `${width >= 78 ? `${directory}${served}` : all ? directory : served}${counts}${when}`;
}

function previewRows({ preview, ...overlay }: SessionsOverlay, { width, height }: Room): readonly RowOf[] {
  const row = listed({ ...overlay, preview })[overlay.at]?.row;
  if (row === undefined) return [];
  const head: RowOf[] = [
    [[THEME.bold, truncateToWidth(nameOf(row), width)]],
    [[THEME.dim, truncateToWidth(`${row.id}  ${row.cwd}`, width)]],
    [],
  ];
  if (preview?.id !== row.id) return head;
  const said = preview.lines.slice(-2).flatMap(({ who, text }) => [
    [[who === "you" ? THEME.user : THEME.agent, who]] satisfies RowOf,
    ...wrap(text, width)
      .slice(0, 8)
      .map((line): RowOf => [[THEME.text, line]]),
    [],
  ]);
  return [...head, ...said].slice(0, height);
}
