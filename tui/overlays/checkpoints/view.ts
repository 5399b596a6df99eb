import type { CheckpointRow } from "../../../lib/contracts/owner/checkpoints.js";
import { age } from "../../draw/ages.js";
import { type RowOf, wrap } from "../../draw/canvas.js";
import { GLYPH } from "../../draw/glyphs.js";
import { sanitizeLine } from "../../draw/sanitize.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { State } from "../../model/state.js";
import type { OverlayKind, Room, Spot } from "../overlay.js";
import { listSpots, wordSpots } from "../spots.js";
import { windowed, windowFrom } from "../window.js";
import { diffRows, partsOf } from "./rows.js";
import type { CheckpointsOverlay } from "./state.js";
import { answered, pressed, scrolled, typedIn } from "./update.js";

/** The list at the left, at the right what going back would change; on a narrow screen one of them. */
export const CHECKPOINTS_KIND: OverlayKind<CheckpointsOverlay> = {
  context: "checkpoints",
  draw: (state, overlay, room) => {
    const { width, height, left, right, asked } = partsOf(overlay, room);
    const list = left === 0 ? [] : listRows(state, overlay, { width: left, height });
    const all = diffRows(overlay, right);
    const diff = right === 0 ? undefined : all.slice(Math.min(overlay.top, Math.max(0, all.length - height)));
    const rows = Array.from(
      { length: height },
      (_, at): RowOf => (left === 0 ? (diff?.[at] ?? []) : beside(list[at] ?? [], diff?.[at], left)),
    );
    return {
      title: "Checkpoints of this directory",
      width,
      rows: [...rows, ...asked.map((line): RowOf => [[THEME.warn, line]])],
      foot: overlay.asking
        ? "any other key cancels"
        : width < 60
          ? "Enter restores · Tab · Esc"
          : "Enter restores · Tab difference · PgUp PgDn scroll it · Esc closes",
      spots: [...spotsOf(overlay, left, height), ...wordSpots(height, asked, ANSWERS)],
    };
  },
  typed: typedIn,
  wheel: (state, _overlay, by) => scrolled(by)(state),
};

const ANSWERS = [
  ["[f]orced", answered("f")],
  ["[r]estore", answered("r")],
  ["[k]eep", answered("k")],
] as const;

function spotsOf({ rows, at, asking }: CheckpointsOverlay, left: number, height: number): readonly Spot[] {
  if (rows.state !== "ready" || left === 0 || asking) return [];
  return listSpots(0, windowed(rows.rows.length, height, at), pressed).map((spot) => ({ ...spot, to: left }));
}

function beside(list: RowOf, right: RowOf | undefined, left: number): RowOf {
  if (right === undefined) return list;
  const used = list.reduce((sum, [, text]) => sum + textCells(text), 0);
  return [...list, [THEME.text, " ".repeat(Math.max(0, left - used))], [THEME.border, `${GLYPH.bar} `], ...right];
}

function listRows(state: State, { rows, at }: CheckpointsOverlay, { width, height }: Room): readonly RowOf[] {
  if (rows.state === "loading") return [[[THEME.dim, " loading…"]]];
  if (rows.state === "failed") return wrap(rows.message, width - 2).map((line): RowOf => [[THEME.error, ` ${line}`]]);
  if (rows.rows.length === 0) {
    const none =
      "There are no checkpoints of this directory. With checkpoints.enabled, one is taken before the agent changes files.";
    return wrap(none, width - 2).map((line): RowOf => [[THEME.dim, ` ${line}`]]);
  }
  const from = windowFrom(rows.rows.length, height, at);
  return rows.rows
    .slice(from, from + height)
    .map((row, index) => checkpointRow(state, row, from + index === at, width));
}

function checkpointRow(
  { wall }: State,
  { id, reason, made_at: made, changed }: CheckpointRow,
  marked: boolean,
  width: number,
): RowOf {
  const facts = `  +${changed.added} −${changed.removed}${age(Math.max(0, wall - made)).padStart(9)}`;
  const cells = Math.max(4, width - 12 - textCells(facts));
  const text = truncateToWidth(sanitizeLine(reason), cells);
  const plain = marked ? THEME.selection : THEME.text;
  return [
    [plain, `${marked ? "›" : " "} ${id}  `],
    [plain, `${text}${" ".repeat(Math.max(0, cells - textCells(text)))}`],
    [THEME.dim, facts],
  ];
}
