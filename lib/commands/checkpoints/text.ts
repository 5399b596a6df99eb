import { toIso } from "../../base/units.js";
import type {
  ChangeCounts,
  CheckpointDiff,
  CheckpointRow,
  RestoreReport,
  SkippedPath,
} from "../../contracts/owner/checkpoints.js";
import { count } from "../render/change-summary.js";

/** `2026-11-20 13:27:09`, UTC. */
const second = (at: number): string => toIso(at).slice(0, 19).replace("T", " ");

const changed = ({ files, added, removed }: ChangeCounts): string =>
  `(${files} ${files === 1 ? "file" : "files"}, +${added}/-${removed})`;

/** `2. 1a2b3c4d 2026-11-20 13:27:09 before write_file (1 file, +3/-1)`; what has no number is where the directory is now. */
export function rowLine(row: CheckpointRow): string {
  const partial = row.partial === undefined ? "" : " [only files changed by file tools]";
  return `${row.n === null ? "-" : `${row.n}.`} ${row.id} ${second(row.made_at)} ${row.reason} ${changed(row.changed)}${partial}`;
}

const NAMED = 20;

function named(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length > NAMED ? [`  and ${lines.length - NAMED} more`] : [];
  return [title, ...lines.slice(0, NAMED).map((line) => `  ${line}`), ...more];
}

const withWhy = (all: readonly SkippedPath[]): readonly string[] => all.map(({ path, why }) => `${path}: ${why}`);

/** What a rollback did, and what it left as it is. */
export function reportText(report: RestoreReport): string {
  const { checkpoint, directory, restored, removed, skipped, failed, before } = report;
  const nothing = restored.length + removed.length + skipped.length + failed.length === 0;
  if (nothing) return `${directory} already matches checkpoint ${checkpoint.id}.`;
  return [
    `Rolled back ${directory} to ${checkpoint.id} (${checkpoint.reason}): ${restored.length} restored, ${removed.length} removed, ${skipped.length} skipped${failed.length > 0 ? `, ${failed.length} failed` : ""}.`,
    ...named("Restored:", restored),
    ...named("Removed:", removed),
    ...named("Skipped:", withWhy(skipped)),
    ...named("Failed (unchanged):", withWhy(failed)),
    `The previous state is checkpoint ${before}; to return to it: /rollback ${before}, or agent checkpoints restore ${before} -y.`,
  ].join("\n");
}

/** Failed: something is left to do, or nothing could be done because others changed it. */
export const exitOf = ({ restored, removed, skipped, failed }: RestoreReport): number =>
  failed.length > 0 || (skipped.length > 0 && restored.length + removed.length === 0) ? 1 : 0;

/** What a rollback would do. */
export function diffText({ checkpoint, changes, skipped, outside }: CheckpointDiff): string {
  if (changes.length === 0 && skipped.length === 0) return `The directory already matches checkpoint ${checkpoint.id}.`;
  const marks = new Set(outside);
  const lines = changes.map(
    ({ path, change, entry }) =>
      `${change} ${path}${entry === "file" ? "" : ` (${entry})`}${marks.has(path) ? " (changed outside the agent; needs --force)" : ""}`,
  );
  const texts = changes.flatMap(({ diff }) => (diff === undefined || diff === "" ? [] : [diff]));
  return [
    `A rollback to ${checkpoint.id} (${checkpoint.reason}) would change ${count(changes.length, "path")}:`,
    ...lines.map((line) => `  ${line}`),
    ...named("Skipped:", withWhy(skipped)),
    ...texts,
  ].join("\n");
}

/** What to do so that there are checkpoints. */
export const OFF_HINT =
  "checkpoints are off; enable them for one run with agent --checkpoints, or for good with agent config set checkpoints.enabled true";
