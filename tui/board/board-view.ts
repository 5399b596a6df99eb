import type { RowOf } from "../draw/canvas.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { THEME } from "../draw/theme.js";
import { splitGraphemes, truncateToWidth } from "../draw/width.js";
import type { State } from "../model/state.js";
import { columnsOf } from "./columns.js";
import { type BoardState, COLUMNS } from "./state.js";
import { padRow } from "./view/card.js";
import { columnRows } from "./view/columns.js";
import { drawerRows } from "./view/drawer.js";
import { boardMarks, isList, partsOf } from "./view/geometry.js";
import { listRows } from "./view/list.js";

/** The board: columns or a list, the drawer beside it, the line that is typed in below. */
export function boardRows(state: State, width: number, height: number): readonly RowOf[] {
  const parts = partsOf(state, { width, height });
  const left =
    parts.cards.width > 0
      ? cardsRows(state, { width: parts.cards.width, height: parts.cards.height, whole: width })
      : [];
  const right = parts.drawer === undefined ? [] : drawerRows(state, parts.drawer, parts.cards.width > 0);
  const rows = Array.from(
    { length: parts.cards.height },
    (_, y): RowOf => [...padRow(left[y] ?? [], parts.cards.width, THEME.text), ...(right[y] ?? [])],
  );
  const { line } = state.board;
  if (line !== undefined) return [...rows, lineRow(line, width)];
  return rows.length < height
    ? [...rows, [[THEME.accent, truncateToWidth([state.board.slug, ...boardMarks(state.board)].join(" · "), width)]]]
    : rows;
}

/** The line that is typed in, with its cursor. */
function lineRow({ kind, editor }: NonNullable<BoardState["line"]>, width: number): RowOf {
  const before = sanitizeLine(editor.text.slice(0, editor.cursor));
  const [under = " ", ...after] = splitGraphemes(sanitizeLine(editor.text.slice(editor.cursor)));
  const label = kind === "search" ? "/" : "filter ";
  return [
    [THEME.accent, label],
    [THEME.text, truncateToWidth(before, Math.max(1, width - label.length - 1))],
    [THEME.selection, under],
    [THEME.text, after.join("")],
  ];
}

function cardsRows(
  state: State,
  { width, height, whole }: { width: number; height: number; whole: number },
): readonly RowOf[] {
  const { board } = state;
  if (board.phase === "failed")
    return [[[THEME.error, truncateToWidth(board.error, width)]], [[THEME.dim, "r retries"]]];
  if (board.phase === "loading")
    return [
      [
        [
          THEME.dim,
          truncateToWidth(
            COLUMNS.slice(0, -1)
              .map((column) => `${column} …`)
              .join("   "),
            width,
          ),
        ],
      ],
    ];
  if (COLUMNS.every((column) => board.counts[column] === 0))
    return [[[THEME.dim, truncateToWidth(`No tasks on board ${board.slug}. Press a to add one.`, width)]]];
  const size = { width, height };
  const rows = isList(board, { width: whole, height }) ? listRows(state, size) : columnRows(state, size);
  const nothing = board.filter !== "" && columnsOf(board).every((column) => board.shown[column].length === 0);
  return nothing
    ? [
        ...rows.slice(0, 1),
        [[THEME.dim, truncateToWidth(`No tasks match "${board.filter}". Press Esc to clear the filter.`, width)]],
      ]
    : rows;
}
