import { putRow, putRows, type Rect, type RowOf, type Span } from "../draw/canvas.js";
import type { Cell } from "../draw/draw.js";
import { THEME } from "../draw/theme.js";
import { splitGraphemes, textCells, truncateToWidth } from "../draw/width.js";
import type { State } from "../model/state.js";
import { boxFor, seenRows } from "./box.js";
import { isChip } from "./chip.js";
import { isOpen } from "./completion/ask.js";
import { drawCompletion } from "./completion/view.js";
import { entering } from "./enter.js";
import { drawQueue } from "./queue/view.js";
import { look, type TextRow, type Wrapped } from "./rows.js";

/** What waits, what Enter will do, the text, and above it what is offered for the word at the cursor. */
export function drawComposer(lines: Cell[][], state: State, queue: Rect, composer: Rect): void {
  drawQueue(lines, state, queue);
  const rule = { x: composer.x, y: composer.y - 1, width: composer.width, height: 1 };
  putRow(lines, rule, ruleRow(state, composer.width), THEME.text);
  const box = boxFor(state.composer, composer.width);
  const { rows } = seenRows(box, state.composer, composer.height);
  putRows(
    lines,
    composer,
    rows.map(
      (row): RowOf => [
        [THEME.accent, row.from === 0 ? "› " : "  "],
        ...(box.text === "" ? placeholder(state) : spans(box, row)),
      ],
    ),
    THEME.text,
  );
  drawCompletion(lines, state, rule);
}

/** What can be typed, while nothing is and nothing was said. */
const placeholder = ({ chat, questions, inline }: State): RowOf =>
  chat.items.length > 0 || chat.live !== undefined || questions.open.length > 0 || inline !== undefined
    ? []
    : [[THEME.dim, PLACEHOLDER]];

const PLACEHOLDER = "Ask anything · / commands · @ files";

/** Chips stand out from what was typed. */
function spans(box: Wrapped, { from, to }: TextRow): Span[] {
  const out: [number, string][] = [];
  for (const cluster of splitGraphemes(box.text.slice(from, to))) {
    const seen = look(cluster, box.chips);
    const style = isChip(cluster) ? THEME.badge : seen === cluster || cluster === "\t" ? THEME.text : THEME.warn;
    const last = out.at(-1);
    const shown = seen === cluster ? seen : truncateToWidth(seen, box.width);
    if (last?.[0] === style) last[1] += shown;
    else out.push([style, shown]);
  }
  return out;
}

/** What Enter will do, said next to the cursor (workspace part, 4.4). */
function ruleRow(state: State, width: number): RowOf {
  const active = state.focus === "composer" && !state.queue.focused;
  const style = active ? THEME.focus : THEME.border;
  const says = state.queue.focused ? " queue focused · Esc: back to typing " : ` ${entering(state).says} `;
  const more = hints(state)
    .map((hint) => `· ${hint} `)
    .filter((_hint, at, all) => 2 + textCells(says) + textCells(all.slice(0, at + 1).join("")) <= width)
    .join("");
  const line = truncateToWidth(`─${says}`, width);
  const rest = Math.max(0, width - textCells(line) - textCells(more));
  return [
    [style, line],
    [active ? THEME.dim : THEME.border, more],
    [style, "─".repeat(rest)],
  ];
}

function hints(state: State): readonly string[] {
  if (state.queue.focused) return [];
  if (isOpen(state)) return ["Tab: take", "Esc: close"];
  if (state.composer.editing !== undefined) return [];
  const steers =
    state.session.turnSince !== undefined && state.composer.editor.text !== ""
      ? ["Alt+S: steer", "Alt+I: interrupt and send"]
      : [];
  return ["Alt+Enter: new line", ...steers];
}

/** Where the cursor of the text stands; undefined while the keys go elsewhere. */
export function cursorAt(state: State, composer: Rect): { x: number; y: number } | undefined {
  if (state.queue.focused) return undefined;
  const { cursor } = seenRows(boxFor(state.composer, composer.width), state.composer, composer.height);
  return { x: composer.x + 2 + cursor.x, y: composer.y + cursor.y };
}
