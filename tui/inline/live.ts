import { statusRow } from "../bars/status.js";
import { itemRows, liveThinkingRows } from "../chat/look/item.js";
import { composerHeight } from "../composer/box.js";
import { isOpen } from "../composer/completion/ask.js";
import { queueRows } from "../composer/queue/view.js";
import { cursorAt, drawComposer } from "../composer/view.js";
import { putRow, type RowOf } from "../draw/canvas.js";
import { type Cell, GAP } from "../draw/draw.js";
import { blockRows } from "../draw/markdown.js";
import { THEME } from "../draw/theme.js";
import { truncateToWidth } from "../draw/width.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import type { State } from "../model/state.js";
import { openedOverlay } from "../overlays/registry.js";
import { questionPanel } from "../questions/view.js";
import { lookIn, unfinished, type Written } from "./finished.js";

/** Workspace part, 17: everything that changes stands in so many rows. */
const MOST_ROWS = 12;
const OPEN_ROWS = 6;
const COMPOSER_ROWS = 4;
/** The line above the messages that wait, and two of them. */
const QUEUE_ROWS = 3;
const RUNNING_ROWS = 4;
const OFFERED_ROWS = 5;

export interface LiveArea {
  readonly rows: readonly RowOf[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

/** What changes, from top to bottom: what grows, a question or a dialog, the queue, the composer, the status. */
export function liveArea(state: State, written: Written, { columns, rows }: Pick<State, "columns" | "rows">): LiveArea {
  const width = Math.max(1, columns - 1); // the last column stays free: nothing of it is ever wrapped
  const most = Math.max(3, Math.min(MOST_ROWS, rows - 1));
  const above = openedOverlay(state);
  if (above) {
    const drawn = above.draw({ width, height: most - 2 });
    const head: RowOf = [[THEME.accent, truncateToWidth(`─ ${drawn.title} `, width)]];
    const foot: readonly RowOf[] = drawn.foot === undefined ? [] : [[[THEME.dim, truncateToWidth(drawn.foot, width)]]];
    return {
      rows: [head, ...drawn.rows.slice(0, most - 2), ...foot],
      cursor: drawn.cursor && { x: drawn.cursor.x, y: drawn.cursor.y + 1 },
    };
  }
  const low = lowerRows(state, width);
  const question =
    state.questions.open.length === 0 ? undefined : questionPanel(state, width, Math.max(3, most - low.rows.length));
  const room = most - low.rows.length - (question?.rows.length ?? 0);
  const grows = room > 0 ? growing(state, written, width).slice(-room) : [];
  const top = grows.length + (question?.rows.length ?? 0);
  const cursor = state.questions.asking.focused
    ? question?.cursor && { x: question.cursor.x, y: grows.length + question.cursor.y }
    : low.cursor && { x: low.cursor.x, y: top + low.cursor.y };
  return { rows: [...grows, ...(question?.rows ?? []), ...low.rows], cursor };
}

/** Running calls, thinking, and the last rows of the block that is not finished. */
function growing(state: State, written: Written, width: number): readonly RowOf[] {
  const { chat, inline, display } = state;
  if (inline?.watch !== undefined) return PANE_DEFINITIONS[inline.watch].rows(state, width, MOST_ROWS);
  const running = unfinished(state, written)
    .flatMap((item) => (item.kind === "answer" ? [] : itemRows(item, lookIn(state, item), width)))
    .slice(-RUNNING_ROWS);
  const { thinking, live } = chat;
  const thought =
    thinking === undefined || !display.showReasoning || display.details.thinking === "hidden"
      ? []
      : liveThinkingRows(
          thinking.source,
          state.now - thinking.since,
          { ...NO_LOOK, display, now: state.now },
          width,
        ).slice(0, 1);
  const open =
    live === undefined || !display.streaming || live.outline.open.text === ""
      ? []
      : blockRows(live.outline.open, width).slice(-OPEN_ROWS);
  const message: readonly RowOf[] =
    state.message === undefined
      ? []
      : [[[state.message.error ? THEME.error : THEME.warn, truncateToWidth(state.message.text, width)]]];
  return [...running, ...thought, ...open, ...message];
}

const NO_LOOK = { open: () => undefined, whole: undefined, spin: "…", output: [] };

/** Queue, composer and status, drawn as in the workspace and taken as rows. */
function lowerRows(state: State, width: number): LiveArea {
  const queued = queueRows(state, QUEUE_ROWS);
  const height = Math.min(COMPOSER_ROWS, composerHeight(state));
  // What is offered is drawn over what stands above the rule; its uppermost row stays free.
  const offered = isOpen(state) ? Math.min(OFFERED_ROWS, state.composer.completion.rows.length) : 0;
  const above = Math.max(queued, offered === 0 ? 0 : offered + 1);
  const lines = Array.from({ length: above + 1 + height + 1 }, () =>
    Array.from({ length: width }, (): Cell => [THEME.text, " "]),
  );
  const composer = { x: 0, y: above + 1, width, height };
  drawComposer(lines, state, { x: 0, y: above - queued, width, height: queued }, composer);
  putRow(lines, { x: 0, y: lines.length - 1, width }, statusRow(state, width), THEME.status);
  const cursor = state.questions.asking.focused ? undefined : cursorAt(state, composer);
  const first = above > queued && offered + 1 > queued ? 1 : 0;
  const rows = lines.map((line, y) => (y === above ? shortRule(toRow(line)) : toRow(line))).slice(first);
  return { rows, cursor: cursor && { x: cursor.x, y: cursor.y - first } };
}

/** Cells as spans of one style each. */
function toRow(line: readonly Cell[]): RowOf {
  const spans: [number, string][] = [];
  for (const [style, cluster] of line) {
    if (cluster === GAP) continue;
    const last = spans.at(-1);
    if (last !== undefined && last[0] === style) last[1] += cluster;
    else spans.push([style, cluster]);
  }
  return spans;
}

/** A rule over the whole width would be wrapped by a terminal that becomes narrower. */
const shortRule = (row: RowOf): RowOf => row.map(([style, text]) => [style, text.replace(/─{4,}$/, "───")]);
