import type { CheckpointDiff, CheckpointRow } from "../../../lib/proto/checkpoints.js";
import { age } from "../../ages.js";
import { type RowOf, wrap } from "../../canvas.js";
import { GLYPH } from "../../glyphs.js";
import { sanitize, sanitizeLine } from "../../sanitize.js";
import type { State } from "../../state.js";
import { THEME } from "../../theme.js";
import { fit, textCells } from "../../width.js";
import type { OverlayKind, Room } from "../overlay.js";
import { windowFrom } from "../window.js";
import type { CheckpointsOverlay } from "./state.js";
import { diffOf, typedIn } from "./update.js";

const WIDEST = 160;
const BESIDE_FROM = 90;

/** The list at the left, at the right what going back would change; on a narrow screen one of them. */
export const CHECKPOINTS_KIND: OverlayKind<CheckpointsOverlay> = {
  context: "checkpoints",
  draw: (state, overlay, room) => {
    const width = Math.min(room.width, WIDEST);
    const asked = overlay.asking ? askedRows(overlay, width) : [];
    const height = Math.max(1, room.height - asked.length);
    const left = width >= BESIDE_FROM ? Math.floor(width * 0.45) : overlay.detail ? 0 : width;
    const list = left === 0 ? [] : listRows(state, overlay, { width: left, height });
    const right = left === width ? [] : diffRows(overlay, { width: width - (left === 0 ? 0 : left + 2), height });
    const rows = Array.from(
      { length: height },
      (_, at): RowOf => (left === 0 ? (right[at] ?? []) : beside(list[at] ?? [], left === width ? undefined : right[at], left)),
    );
    return {
      ...{ title: "Checkpoints of this directory", width, rows: [...rows, ...asked] },
      foot: overlay.asking
        ? "any other key leaves all as it is"
        : width < 60
          ? "Enter goes back · Tab · Esc"
          : "Enter goes back · Tab difference · PgUp PgDn scroll it · Esc closes",
    };
  },
  typed: typedIn,
};

function beside(list: RowOf, right: RowOf | undefined, left: number): RowOf {
  if (right === undefined) return list;
  const used = list.reduce((sum, [, text]) => sum + textCells(text), 0);
  return [...list, [THEME.text, " ".repeat(Math.max(0, left - used))], [THEME.border, `${GLYPH.bar} `], ...right];
}

function askedRows(overlay: CheckpointsOverlay, width: number): RowOf[] {
  const diff = diffOf(overlay);
  if (diff === undefined || "error" in diff) return [];
  const { changes, skipped, outside } = diff.of;
  const removed = changes.filter(({ change }) => (change === "create" ? false : change === "remove")).length;
  const others = outside.length === 0 ? "" : ` ${outside.length} changed by others stay as they are unless [f]orced.`;
  const left = skipped.length === 0 ? "" : ` ${skipped.length} are skipped.`;
  const text = `Go back to ${diff.id}? ${changes.length - removed} paths change, ${removed} are removed.${left}${others} [r]estore [k]eep`;
  return wrap(text, width - 2).map((line): RowOf => [[THEME.warn, ` ${line}`]]);
}

function listRows(state: State, { rows, at }: CheckpointsOverlay, { width, height }: Room): readonly RowOf[] {
  if (rows.state === "loading") return [[[THEME.dim, " loading…"]]];
  if (rows.state === "failed") return wrap(rows.message, width - 2).map((line): RowOf => [[THEME.error, ` ${line}`]]);
  if (rows.rows.length === 0) {
    const none = "There are no checkpoints of this directory. With checkpoints.enabled its state is kept before the agent changes it.";
    return wrap(none, width - 2).map((line): RowOf => [[THEME.dim, ` ${line}`]]);
  }
  const from = windowFrom(rows.rows.length, height, at);
  return rows.rows.slice(from, from + height).map((row, index) => checkpointRow(state, row, from + index === at, width));
}

function checkpointRow({ wall }: State, { id, reason, made_at: made, changed }: CheckpointRow, marked: boolean, width: number): RowOf {
  const facts = `  +${changed.added} −${changed.removed}${age(Math.max(0, wall - made)).padStart(9)}`;
  const cells = Math.max(4, width - 12 - textCells(facts));
  const text = fit(sanitizeLine(reason), cells);
  const plain = marked ? THEME.selection : THEME.text;
  return [
    [plain, `${marked ? "›" : " "} ${id}  `],
    [plain, `${text}${" ".repeat(Math.max(0, cells - textCells(text)))}`],
    [THEME.dim, facts],
  ];
}

function diffRows(overlay: CheckpointsOverlay, { width, height }: Room): readonly RowOf[] {
  const diff = diffOf(overlay);
  if (diff === undefined) return overlay.rows.state === "ready" && overlay.rows.rows.length > 0 ? [[[THEME.dim, "looking…"]]] : [];
  if ("error" in diff) return wrap(diff.error, width).map((line): RowOf => [[THEME.error, line]]);
  const rows = changesOf(diff.of, width);
  return rows.slice(Math.min(overlay.top, Math.max(0, rows.length - height)));
}

const VERBS = { create: "is made again", change: "changes", remove: "is removed", mode: "gets its mode back" } as const;

/** First the paths and what becomes of each, then the lines. */
function changesOf({ changes, skipped, outside }: CheckpointDiff, width: number): readonly RowOf[] {
  if (changes.length === 0 && skipped.length === 0) return [[[THEME.dim, "nothing would change"]]];
  const others = new Set(outside);
  const paths = changes.map(
    ({ path, change }): RowOf => [
      [
        change === "remove" ? THEME.warn : THEME.text,
        fit(`${sanitizeLine(path)} ${VERBS[change]}${others.has(path) ? ", changed by others: stays unless forced" : ""}`, width),
      ],
    ],
  );
  const left = skipped.map(({ path, why }): RowOf => [[THEME.dim, fit(`${sanitizeLine(path)} is skipped: ${sanitizeLine(why)}`, width)]]);
  const lines = changes.flatMap(({ diff = "" }) =>
    diff === ""
      ? []
      : [
          [],
          ...sanitize(diff)
            .split("\n")
            .map((line): RowOf => [[styleOf(line), fit(line.replaceAll("\t", "    "), width)]]),
        ],
  );
  return [...paths, ...left, ...lines];
}

const styleOf = (line: string): number =>
  line.startsWith("+") ? THEME.diffAdd : line.startsWith("-") ? THEME.diffDel : line.startsWith("@") ? THEME.accent : THEME.text;
