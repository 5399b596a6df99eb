import { age } from "../../draw/ages.js";
import { type RowOf, type Span, wrap } from "../../draw/canvas.js";
import { GLYPH } from "../../draw/glyphs.js";
import { rowsOfMarkdown } from "../../draw/markdown.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { State } from "../../model/state.js";
import type { Brief, DetailRun, TaskDetail } from "../detail.js";
import type { Drawer } from "../state.js";
import { statusStyle } from "./card.js";
import type { Size } from "./geometry.js";

const MARGIN = 2; // the line at the left and a blank
const FIRST_RUNS = 3; // workspace part, 6.1

/** What a press on a row of the drawer means: another task, one of its runs, all of its runs. */
export type DrawerSpot = { readonly task: string } | { readonly run: number } | { readonly all: true };

/** A row, and what a press on it means. */
interface Line {
  readonly row: RowOf;
  readonly spot?: DrawerSpot;
}

/** The drawer at this size. */
export function drawerRows(state: State, size: Size, beside: boolean): readonly RowOf[] {
  const lines = seenLines(state, size);
  const bar: Span = [THEME.border, beside ? "│ " : " "];
  return Array.from({ length: size.height }, (_, y): RowOf => [bar, ...(lines[y]?.row ?? [])]);
}

/** What stands in a row that is seen of the drawer; undefined: nothing that can be pressed. */
export const drawerSpot = (state: State, size: Size, y: number): DrawerSpot | undefined =>
  seenLines(state, size)[y]?.spot;

function seenLines(state: State, { width, height }: Size): readonly Line[] {
  const lines = wholeDrawer(state, width);
  const top = Math.min(state.board.drawer?.top ?? 0, Math.max(0, lines.length - height));
  return lines.slice(top, top + height);
}

/** Rows of the whole drawer. */
export const drawerLength = (state: State, width: number): number => wholeDrawer(state, width).length;

function wholeDrawer(state: State, width: number): readonly Line[] {
  const { drawer } = state.board;
  if (drawer === undefined) return [];
  const inner = Math.max(1, width - MARGIN);
  if (drawer.error !== "")
    return plain([[[THEME.error, truncateToWidth(drawer.error, inner)]], [[THEME.dim, "Esc closes"]]]);
  if (drawer.detail === undefined) return plain([[[THEME.dim, `${drawer.id} …`]]]);
  return detailRows(drawer, drawer.detail, inner, state.wall);
}

const plain = (rows: readonly RowOf[]): readonly Line[] => rows.map((row) => ({ row }));

/** Why the task stands where it does: a warning, but for one that is over. */
function reasonRows({ text, settled }: TaskDetail["reasons"][number], width: number): readonly RowOf[] {
  const [mark, style] = settled ? [GLYPH.ok, THEME.dim] : ["!", THEME.warn];
  return wrap(text, width - 2).map((line, at): RowOf => [[style, `${at === 0 ? mark : " "} ${line}`]]);
}

function detailRows(drawer: Drawer, detail: TaskDetail, width: number, wall: number): readonly Line[] {
  const head: readonly RowOf[] = [
    [
      [THEME.dim, `${drawer.id}  `],
      [statusStyle(detail.status), detail.status],
    ],
    ...wrap(detail.title, width).map((line): RowOf => [[THEME.bold, line]]),
    [],
    ...detail.fields.flatMap(([name, value]) => fieldRows(name, value, width)),
    ...detail.reasons.flatMap((reason) => reasonRows(reason, width)),
    ...textPart("", detail.body, width),
  ];
  return [
    ...plain(head),
    ...briefPart("waits for", detail.parents, width),
    ...briefPart("children", detail.children, width),
    ...plain([
      ...textPart("result", detail.result, width),
      ...textPart("summary", detail.summary, width),
      ...commentRows(detail, width, wall),
    ]),
    ...plain(
      part(
        "attachments",
        detail.attachments.map(
          ({ name, size }): RowOf => [
            [THEME.text, truncateToWidth(name, width - 12)],
            [THEME.dim, `  ${bytes(size)}`],
          ],
        ),
      ),
    ),
    ...plain(
      part(
        "events",
        detail.events.map(({ kind, actor, at, what }) =>
          eventRow([ago(wall, at), kind.replaceAll("_", " "), actor, what], width),
        ),
      ),
    ),
    ...runRows(detail.runs, drawer.allRuns, width, wall),
  ];
}

const NAME_CELLS = 11;

function fieldRows(name: string, value: string, width: number): readonly RowOf[] {
  const lines = wrap(value, Math.max(4, width - NAME_CELLS));
  return lines.map(
    (line, at): RowOf => [
      [THEME.dim, (at === 0 ? name : "").padEnd(NAME_CELLS)],
      [THEME.text, line],
    ],
  );
}

/** A part of the drawer under its name; nothing where there is nothing. */
function part(name: string, rows: readonly RowOf[]): readonly RowOf[] {
  return rows.length === 0 ? [] : [[], [[THEME.heading, name]], ...rows];
}

function textPart(name: string, text: string, width: number): readonly RowOf[] {
  if (text.trim() === "") return [];
  const rows = rowsOfMarkdown(text.trimEnd(), width);
  return name === "" ? [[], ...rows] : part(name, rows);
}

/** A part under its name of which each row can be pressed. */
const linesPart = (name: string, lines: readonly Line[]): readonly Line[] =>
  lines.length === 0 ? [] : [{ row: [] }, { row: [[THEME.heading, name]] }, ...lines];

const briefPart = (name: string, briefs: readonly Brief[], width: number): readonly Line[] =>
  linesPart(
    name,
    briefs.map(({ id, title, status }) => ({
      row: [
        [statusStyle(status), `${status.padEnd(9)} `],
        [THEME.dim, `${id} `],
        [THEME.text, truncateToWidth(title, Math.max(1, width - 11 - textCells(id)))],
      ],
      spot: { task: id },
    })),
  );

function commentRows({ comments }: TaskDetail, width: number, wall: number): readonly RowOf[] {
  const rows = comments.flatMap(({ author, kind, at, text }) => [
    [
      [kind === "human" ? THEME.user : THEME.agent, author],
      [THEME.dim, ` ${ago(wall, at)}`],
    ] satisfies RowOf,
    ...rowsOfMarkdown(text.trimEnd(), width - 2).map((row): RowOf => [[THEME.text, "  "], ...row]),
  ]);
  return part(comments.length > 0 ? `comments ${comments.length}` : "comments", rows);
}

function runRows(runs: readonly DetailRun[], all: boolean, width: number, wall: number): readonly Line[] {
  const shown = all ? runs : runs.slice(0, FIRST_RUNS);
  const lines = shown.flatMap((run): readonly Line[] => {
    const spot = { run: run.id };
    const live = run.endedAt === null;
    const took = age(((live ? wall / 1000 : run.endedAt) - run.startedAt) * 1000);
    const sign = live ? GLYPH.live : run.state === "completed" ? GLYPH.ok : GLYPH.failed;
    const why = run.error === "" ? run.summary : run.error;
    const head: RowOf = [
      [live ? THEME.accent : sign === GLYPH.ok ? THEME.ok : THEME.error, `${sign} `],
      [THEME.text, truncateToWidth(`run ${run.id} ${run.profile} ${run.state}`, width - 12)],
      [THEME.dim, ` ${took}`],
    ];
    return why === ""
      ? [{ row: head, spot }]
      : [
          { row: head, spot },
          { row: [[THEME.dim, truncateToWidth(`  ${why}`, width)]], spot },
        ];
  });
  const more = runs.length - shown.length;
  const rest: Line = { row: [[THEME.dim, `${GLYPH.more} ${more} earlier, Enter shows all`]], spot: { all: true } };
  return linesPart("runs", more > 0 ? [...lines, rest] : lines);
}

function eventRow([when = "", ...rest]: readonly string[], width: number): RowOf {
  const words = rest.filter((word) => word !== "").join("  ");
  return [
    [THEME.dim, `${when.padEnd(9)} `],
    [THEME.text, truncateToWidth(words, Math.max(1, width - 10))],
  ];
}

const ago = (wall: number, unix: number): string => age(Math.max(0, wall - unix * 1000));

const bytes = (size: number): string =>
  size < 1024
    ? `${size} B`
    : size < 1 << 20
      ? `${Math.round(size / 1024)} KiB`
      : `${(size / (1 << 20)).toFixed(1)} MiB`;
