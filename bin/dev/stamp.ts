import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { removeFiles, replaceFile } from "./bundle.js";

/** Files that fell out of a build stay this long: a program that runs from them may still load one. */
const KEPT_MS = 3_600_000;

/** What a build was made from and what it wrote. */
export interface Stamp {
  /** Changes when the same files would be built differently: version, entries, flags. */
  readonly key: string;
  /** Input path -> time of its last change. */
  readonly inputs: Readonly<Record<string, number>>;
  readonly outputs: readonly string[];
  /** File that no longer belongs to the build -> when it fell out. */
  readonly retired: Readonly<Record<string, number>>;
}

/** The stamp of the last build, if there was one that can be read. */
export async function readStamp(path: string): Promise<Stamp | undefined> {
  if (!existsSync(path)) return undefined;
  const text = await readFile(path, "utf8");
  return text === "" ? undefined : JSON.parse(text);
}

/** Nothing that the build was made from has changed, and everything that it wrote is there. */
export function isFresh(stamp: Stamp | undefined, key: string): boolean {
  if (stamp?.key !== key) return false;
  const same = Object.entries(stamp.inputs).every(([path, time]) => changedAt(path) === time);
  return same && stamp.outputs.every((path) => existsSync(path));
}

/** Record a build, and remove what fell out of earlier ones long enough ago. */
export async function writeStamp(path: string, before: Stamp | undefined, now: Omit<Stamp, "retired">): Promise<void> {
  const live = new Set(now.outputs);
  const at = Date.now();
  const fellOut = (before?.outputs ?? []).filter((file) => !live.has(file)).map((file): [string, number] => [file, at]);
  const all = [...Object.entries(before?.retired ?? {}).filter(([file]) => !live.has(file)), ...fellOut];
  await removeFiles(all.filter(([, since]) => at - since > KEPT_MS).map(([file]) => file));
  const retired = Object.fromEntries(all.filter(([, since]) => at - since <= KEPT_MS));
  await replaceFile(path, JSON.stringify({ ...now, retired }));
}

/** Last change of a file in milliseconds; 0 when it does not exist. */
export function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
