import type { CheckpointDiff, CheckpointRow } from "../../../lib/contracts/owner/checkpoints.js";
import { type RowOf, wrap } from "../../draw/canvas.js";
import { sanitize, sanitizeLine } from "../../draw/sanitize.js";
import { THEME } from "../../draw/theme.js";
import { truncateToWidth } from "../../draw/width.js";
import { expandTabs } from "../../markdown/wrap.js";
import type { Room } from "../overlay.js";
import type { CheckpointsOverlay } from "./state.js";

const WIDEST = 160;
const BESIDE_FROM = 90;
const BETWEEN = 2; // the line between list and difference, and a blank

/** The row at hand. */
export const current = ({ rows, at }: CheckpointsOverlay): CheckpointRow | undefined =>
  rows.state === "ready" ? rows.rows[at] : undefined;

/** What is known of the row at hand. */
export const diffOf = (overlay: CheckpointsOverlay): CheckpointsOverlay["diff"] =>
  overlay.diff?.id === current(overlay)?.id ? overlay.diff : undefined;

/** How the overlay is divided. Of `left` and `right` one is 0 on a narrow screen. */
interface Parts {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  /** What is asked before going back, below the rest. */
  readonly asked: readonly string[];
}

export function partsOf(overlay: CheckpointsOverlay, room: Room): Parts {
  const width = Math.min(room.width, WIDEST);
  const asked = overlay.asking ? askedLines(overlay, width) : [];
  const left = width >= BESIDE_FROM ? Math.floor(width * 0.45) : overlay.detail ? 0 : width;
  const right = left === width ? 0 : width - (left === 0 ? 0 : left + BETWEEN);
  return { width, height: Math.max(1, room.height - asked.length), left, right, asked };
}

/** The furthest that the difference can be scrolled. */
export function lastTop(overlay: CheckpointsOverlay, room: Room): number {
  const { right, height } = partsOf(overlay, room);
  return Math.max(0, diffRows(overlay, right).length - height);
}

function askedLines(overlay: CheckpointsOverlay, width: number): readonly string[] {
  const diff = diffOf(overlay);
  if (diff === undefined || "error" in diff) return [];
  const { changes, skipped, outside } = diff.of;
  const removed = changes.filter(({ change }) => (change === "create" ? false : change === "remove")).length;
  const others = outside.length === 0 ? "" : ` ${outside.length} changed by others are kept unless [f]orced.`;
  const left = skipped.length === 0 ? "" : ` ${skipped.length} are skipped.`;
  const text = `Restore ${diff.id}? ${changes.length - removed} paths change, ${removed} are removed.${left}${others} [r]estore [k]eep`;
  return wrap(text, width - 2).map((line) => ` ${line}`);
}

/** All of the difference, or what stands in its place. */
export function diffRows(overlay: CheckpointsOverlay, width: number): readonly RowOf[] {
  if (width === 0) return [];
  const diff = diffOf(overlay);
  if (diff === undefined)
    return overlay.rows.state === "ready" && overlay.rows.rows.length > 0 ? [[[THEME.dim, "comparing…"]]] : [];
  if ("error" in diff) return wrap(diff.error, width).map((line): RowOf => [[THEME.error, line]]);
  return changesOf(diff.of, width);
}

const VERBS = {
  create: "is recreated",
  change: "changes",
  remove: "is removed",
  mode: "has its mode restored",
} as const;

/** First the paths and what happens to each, then the lines. */
function changesOf({ changes, skipped, outside }: CheckpointDiff, width: number): readonly RowOf[] {
  if (changes.length === 0 && skipped.length === 0) return [[[THEME.dim, "nothing would change"]]];
  const others = new Set(outside);
  const paths = changes.map(
    ({ path, change }): RowOf => [
      [
        change === "remove" ? THEME.warn : THEME.text,
        truncateToWidth(
          `${sanitizeLine(path)} ${VERBS[change]}${others.has(path) ? ", changed by others: kept unless forced" : ""}`,
          width,
        ),
      ],
    ],
  );
  const left = skipped.map(
    ({ path, why }): RowOf => [
      [THEME.dim, truncateToWidth(`${sanitizeLine(path)} is skipped: ${sanitizeLine(why)}`, width)],
    ],
  );
  const lines = changes.flatMap(({ diff = "" }) =>
    diff === ""
      ? []
      : [
          [],
          ...sanitize(diff)
            .split("\n")
            .map((line): RowOf => [[styleOf(line), truncateToWidth(expandTabs(line, 8), width)]]),
        ],
  );
  return [...paths, ...left, ...lines];
}

const styleOf = (line: string): number =>
  line.startsWith("+")
    ? THEME.diffAdd
    : line.startsWith("-")
      ? THEME.diffDel
      : line.startsWith("@")
        ? THEME.accent
        : THEME.text;
