import { putRow, putRows, type Rect, type RowOf, wrap } from "./canvas.js";
import type { Cell } from "./draw.js";
import { layoutOf, type PaneBox } from "./layout.js";
import { sanitizeLine } from "./sanitize.js";
import type { CellScreen } from "./screen.js";
import type { State } from "./state.js";
import { THEME } from "./theme.js";
import { sendsNext } from "./update-queue.js";
import { helpRows, hintRow, statusRow, tabRow } from "./views/bars.js";
import { boardRows } from "./views/board.js";
import { chatRows } from "./views/chat.js";
import { logRows, runRows } from "./views/panes.js";
import { questionRows } from "./views/question.js";
import { fit, textCells } from "./width.js";

/** Bytes of the next frame and where the cursor stands (undefined: hidden). */
export interface Painted {
  readonly body: string;
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

/** Draw a state. A view that throws is replaced by its error line; the others go on. */
export function paint(screen: CellScreen, state: State, onError: (error: unknown) => void): Painted {
  const layout = layoutOf(state);
  const boxes = layout.panes.map((pane) => ({ ...pane, title: titleOf(pane, state), focused: state.focus === pane.pane }));
  const body = screen.compose(boxes, (lines) => {
    if (layout.tooSmall) {
      putRows(
        lines,
        { x: 0, y: 0, width: state.columns, height: state.rows },
        [[[THEME.text, fit(`needs 40x12, has ${state.columns}x${state.rows}`, state.columns)]]],
        THEME.text,
      );
      return;
    }
    if (layout.tabs !== undefined) putRow(lines, { x: 0, y: layout.tabs, width: state.columns }, tabRow(state, state.columns), THEME.text);
    for (const pane of layout.panes) putRows(lines, pane.inside, guarded(pane, state, onError), THEME.text);
    if (state.help) drawHelp(lines, state);
    const { question } = layout;
    putRows(lines, question, questionRows(state, question.width, question.height), THEME.text);
    drawComposer(lines, state, layout.queue, layout.composer);
    const wide = { x: 0, width: state.columns };
    if (layout.hints !== undefined) putRow(lines, { ...wide, y: layout.hints }, hintRow(state, state.columns), THEME.text);
    if (layout.status !== undefined) putRow(lines, { ...wide, y: layout.status }, statusRow(state, state.columns), THEME.status);
  });
  return {
    body,
    cursor:
      layout.tooSmall || state.focus !== "composer" || state.help || state.asking.focused ? undefined : cursorAt(state, layout.composer),
  };
}

function titleOf(pane: PaneBox, state: State): string {
  const number = { chat: 1, board: 2, runs: 3, logs: 4 }[pane.pane];
  const subject = { chat: state.title, board: state.boardSlug, runs: "", logs: "owner" }[pane.pane];
  const lost = state.connection === "lost" ? " disconnected" : "";
  return fit(` ${number} ${pane.pane}${subject === "" ? "" : `─ ${sanitizeLine(subject)}`}${lost} `, Math.max(4, pane.box.width - 4));
}

function guarded(pane: PaneBox, state: State, onError: (error: unknown) => void): readonly RowOf[] {
  try {
    return paneRows(pane, state);
  } catch (error) {
    onError(error);
    const message = error instanceof Error ? error.message : String(error);
    return [[[THEME.error, fit(`pane failed: ${sanitizeLine(message)}, r reloads`, pane.inside.width)]]];
  }
}

function paneRows(pane: PaneBox, state: State): readonly RowOf[] {
  const { width, height } = pane.inside;
  if (pane.pane === "board") return boardRows(state, width, height);
  const rows = pane.pane === "chat" ? chatRows(state, width) : pane.pane === "runs" ? runRows(state, width) : logRows(state, width);
  if (pane.pane === "runs") return rows.slice(state.scroll.runs);
  return window(rows, height, state.scroll[pane.pane]);
}

/** The last `height` rows, `back` rows before the end; a marker when the end is not shown. */
function window(rows: readonly RowOf[], height: number, back: number): readonly RowOf[] {
  const most = Math.max(0, rows.length - height);
  const shift = Math.min(back, most);
  const shown = rows.slice(most - shift, most - shift + height);
  return shift === 0 || height < 2 ? shown : [...shown.slice(0, height - 1), [[THEME.warn, `↓ ${shift} more lines, End follows`]]];
}

function drawHelp(lines: Cell[][], state: State): void {
  const rect = { x: 1, y: 1, width: state.columns - 2, height: Math.max(1, state.rows - 6) };
  putRows(lines, rect, [[[THEME.bold, " Keys. Any key closes this."]], [], ...helpRows()], THEME.text);
}

function drawComposer(lines: Cell[][], state: State, queue: Rect, composer: Rect): void {
  const queued = [...state.waiting.map(({ text }) => text), ...state.queue]
    .slice(0, queue.height)
    .map((text, at): RowOf => [[THEME.dim, fit(` ${at + 1} ${sanitizeLine(text)}`, queue.width)]]);
  putRows(lines, queue, queued, THEME.text);
  const what =
    state.connection === "lost"
      ? "not connected: Enter keeps it"
      : state.questions[0]?.kind === "clarify"
        ? "Enter: answer"
        : state.turnSince === undefined
          ? sendsNext(state) && state.composer.text === ""
            ? "queue paused: Enter sends the next"
            : "Enter: send"
          : "Enter: queue";
  const rule = `─ ${what} · Alt+Enter: new line `;
  const bar = `${fit(rule, composer.width)}${"─".repeat(Math.max(0, composer.width - textCells(rule)))}`;
  putRow(
    lines,
    { x: composer.x, y: composer.y - 1, width: composer.width },
    [[state.focus === "composer" ? THEME.focus : THEME.border, bar]],
    THEME.text,
  );
  const { rows, first } = composerWindow(state, composer);
  putRows(
    lines,
    composer,
    rows.map(
      (line, at): RowOf => [
        [THEME.accent, first + at === 0 ? "› " : "  "],
        [THEME.text, line],
      ],
    ),
    THEME.text,
  );
}

function composerWindow(state: State, composer: Rect): { rows: readonly string[]; first: number } {
  const rows = wrap(state.composer.text, Math.max(1, composer.width - 3));
  const at = Math.max(0, wrap(state.composer.text.slice(0, state.composer.cursor), Math.max(1, composer.width - 3)).length - 1);
  const first = Math.max(0, Math.min(at - composer.height + 1, rows.length - composer.height));
  return { rows: rows.slice(first, first + composer.height), first };
}

function cursorAt(state: State, composer: Rect): { x: number; y: number } {
  const before = wrap(state.composer.text.slice(0, state.composer.cursor), Math.max(1, composer.width - 3));
  const { first } = composerWindow(state, composer);
  const last = before.at(-1) ?? "";
  return { x: composer.x + 2 + textCells(last), y: composer.y + Math.max(0, before.length - 1 - first) };
}
