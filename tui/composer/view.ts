import { putRow, putRows, type Rect, type RowOf, wrap } from "../canvas.js";
import type { Cell } from "../draw.js";
import { answersQuestion } from "../questions/shown.js";
import { sanitizeLine } from "../sanitize.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { fit, textCells } from "../width.js";
import { sendsNext } from "./queue.js";

/** What waits, what Enter will do, and the text. */
export function drawComposer(lines: Cell[][], state: State, queue: Rect, composer: Rect): void {
  const queued = [...state.queue.waiting.map(({ text }) => text), ...state.queue.local]
    .slice(0, queue.height)
    .map((text, at): RowOf => [[THEME.dim, fit(` ${at + 1} ${sanitizeLine(text)}`, queue.width)]]);
  putRows(lines, queue, queued, THEME.text);
  const what = enterDoes(state);
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
  const rows = wrap(state.composer.editor.text, Math.max(1, composer.width - 3));
  const at = Math.max(
    0,
    wrap(state.composer.editor.text.slice(0, state.composer.editor.cursor), Math.max(1, composer.width - 3)).length - 1,
  );
  const first = Math.max(0, Math.min(at - composer.height + 1, rows.length - composer.height));
  return { rows: rows.slice(first, first + composer.height), first };
}

/** Where the cursor of the text stands. */
export function cursorAt(state: State, composer: Rect): { x: number; y: number } {
  const before = wrap(state.composer.editor.text.slice(0, state.composer.editor.cursor), Math.max(1, composer.width - 3));
  const { first } = composerWindow(state, composer);
  const last = before.at(-1) ?? "";
  return { x: composer.x + 2 + textCells(last), y: composer.y + Math.max(0, before.length - 1 - first) };
}

/** What Enter will do, said next to the cursor (workspace part, 4.4). */
function enterDoes(state: State): string {
  if (state.connection === "lost") return "not connected: Enter keeps it";
  if (answersQuestion(state) !== undefined) return "Enter: answer";
  if (state.session.turnSince !== undefined) return "Enter: queue";
  return sendsNext(state) && state.composer.editor.text === "" ? "queue paused: Enter sends the next" : "Enter: send";
}
