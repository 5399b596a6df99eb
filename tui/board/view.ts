import { age } from "../ages.js";
import type { RowOf, Span } from "../canvas.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { fit, textCells } from "../width.js";
import { COLUMNS, type TaskRow } from "./state.js";

const MIN_COLUMN = 18; // workspace part, 6.1
const LIST_BELOW = 60;
const CARD_ROWS = 3;

/** The board as columns of cards, or one line per task where it is narrow. */
export function boardRows(state: State, width: number, height: number): readonly RowOf[] {
  const board = state.board.tasks;
  if (board.state === "loading") return [[[THEME.dim, "…"]]];
  if (board.state === "failed") return [[[THEME.error, fit(board.message, width)]], [[THEME.dim, "r asks again"]]];
  const tasks = board.rows;
  if (tasks.length === 0) return [[[THEME.dim, fit(`No tasks on board ${state.board.slug}. agent kanban create TITLE adds one.`, width)]]];
  return width < LIST_BELOW ? listRows(state, tasks, width, height) : columnRows(state, tasks, width, height);
}

function listRows(state: State, tasks: readonly TaskRow[], width: number, height: number): readonly RowOf[] {
  const ordered = COLUMNS.flatMap((status) => tasks.filter((task) => task.status === status));
  const from = Math.max(0, Math.min(state.board.cursor.row - height + 1, ordered.length - height));
  return ordered.slice(from, from + height).map((task, at) => {
    const selected = state.focus === "board" && from + at === Math.min(state.board.cursor.row, ordered.length - 1);
    const style = selected ? THEME.selection : THEME.text;
    return [
      [selected ? THEME.selection : statusStyle(task.status), task.status.padEnd(10)],
      [style, fit(`${task.title}${task.note === "" ? "" : `  ${task.note}`}`, width - 10)],
    ];
  });
}

function columnRows(state: State, tasks: readonly TaskRow[], width: number, height: number): readonly RowOf[] {
  const full = COLUMNS.filter((status) => tasks.some((task) => task.status === status));
  const room = Math.max(1, Math.floor(width / MIN_COLUMN));
  const focused = COLUMNS[state.board.cursor.column] ?? "triage";
  const at = Math.max(0, full.indexOf(focused));
  const from = Math.max(0, Math.min(at - room + 1, full.length - room));
  const shown = full.slice(from, from + room);
  const columnWidth = Math.floor(width / Math.max(1, shown.length));
  const columns = shown.map((status) =>
    column(
      state,
      status,
      tasks.filter((task) => task.status === status),
      { width: columnWidth - 1, height, focused: status === focused },
    ),
  );
  return Array.from({ length: height }, (_, y): RowOf => columns.flatMap((rows) => padded(rows[y] ?? [], columnWidth)));
}

interface Place {
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
}

function column(state: State, status: string, tasks: readonly TaskRow[], place: Place): readonly RowOf[] {
  const head: RowOf = [[statusStyle(status), fit(`${status} ${tasks.length}`, place.width)]];
  const fits = Math.max(1, Math.floor((place.height - 1) / CARD_ROWS));
  const row = Math.min(state.board.cursor.row, tasks.length - 1);
  const from = place.focused ? Math.max(0, Math.min(row - fits + 1, tasks.length - fits)) : 0;
  const cards = tasks.slice(from, from + fits).flatMap((task, at) => {
    const selected = place.focused && state.focus === "board" && from + at === row;
    return card(task, place.width, selected, state.wall);
  });
  return [head, ...cards];
}

function card(task: TaskRow, width: number, selected: boolean, wall: number): readonly RowOf[] {
  const head = `${task.id.slice(0, 8)}${task.priority === 0 ? "" : ` P${task.priority}`}${task.status === "running" ? " ●" : ""}`;
  const foot = [
    task.assignee === null ? "" : `@${task.assignee}`,
    task.status === "running" ? age(wall - task.since * 1000) : task.note,
  ].filter((part) => part !== "");
  const style = selected ? THEME.selection : THEME.text;
  return [
    [[selected ? THEME.selection : THEME.dim, fit(head, width).padEnd(selected ? width : 0)]],
    [[style, fit(task.title, width)]],
    [[THEME.dim, fit(foot.join(" "), width)]],
  ];
}

function statusStyle(status: string): number {
  if (status === "running") return THEME.accent;
  if (status === "done") return THEME.ok;
  return status === "blocked" ? THEME.error : status === "ready" ? THEME.bold : THEME.dim;
}

function padded(row: RowOf, width: number): readonly Span[] {
  const used = row.reduce((sum, [, text]) => sum + textCells(text), 0);
  return used >= width ? row : [...row, [THEME.text, " ".repeat(width - used)]];
}
