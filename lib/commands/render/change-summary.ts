import type { RestoredFiles } from "../../contracts/chat/turn-files.js";

/** `1 message`, `2 messages`. */
export const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

/** Skipped files that are named one by one. */
const NAMED = 10;

/** What became of files, one fact a line; nothing when files were left alone. */
export function filesText(files: RestoredFiles | undefined): readonly string[] {
  if (files === undefined) return [];
  const { restored, removed, skipped, partial = [] } = files;
  const named = skipped.slice(0, NAMED).map(({ path, reason }) => `  unchanged: ${path} (${reason})`);
  const more = skipped.length > NAMED ? [`  and ${skipped.length - NAMED} more unchanged`] : [];
  return [
    `Files: ${restored.length} restored, ${removed.length} removed, ${skipped.length} unchanged.`,
    ...named,
    ...more,
    ...partialLines(partial),
  ];
}

/** A line for each directory whose checkpoints hold only what file tools named. */
export const partialLines = (directories: readonly string[]): readonly string[] =>
  directories.map((directory) => `  ${directory}: too large for full checkpoints; changes made by programs remain`);
