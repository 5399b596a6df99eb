import { join } from "node:path";
import { makeDir } from "../../base/fs/directory.js";
import { readFileSize } from "../../base/fs/home-files.js";
import { readTailText } from "../../base/fs/text-file.js";
import type { Home } from "../../base/home.js";
import type { Child } from "../../base/process/spawn.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { envOf } from "./gateway-place.js";

const TAIL_BYTES = 4096;
const TAIL_LINES = 5;

/** The log that a gateway without a terminal writes to. */
export const logOf = (home: Home): string => join(home.logs, "gateway.log");

/** A process of its own, and what it says about its own failure. */
export interface Launched {
  readonly child: Child;
  /** What it has printed for people since it was started, without the lines of its log. */
  said(): readonly string[];
}

/** Start a process of this program that owns a home, on its own: it outlives this one, and writes to logs/gateway.log. */
export async function launch(
  home: Home,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Launched> {
  makeDir(home.logs);
  const log = logOf(home);
  const from = readFileSize(log);
  const child = await systemSpawner.spawn({
    file: process.execPath,
    args: [program(), ...args],
    cwd: home.dir,
    env: envOf(home, env),
    stdin: "ignore",
    stdout: { append: logOf(home) },
    stderr: "stdout",
  });
  child.unref();
  return { child, said: () => saidSince(log, from) };
}

const PREFIX = "agent: ";

/** Messages stand behind the name of the program; hints and stacks say nothing to those who only started it. */
function saidSince(log: string, from: number): readonly string[] {
  const bytes = Math.min(TAIL_BYTES, readFileSize(log) - from + 1); // one more: the tail leaves out the line that it begins within
  const lines = readTailText(log, bytes).split("\n");
  return lines
    .filter((line) => line.startsWith(PREFIX))
    .slice(0, 1)
    .map((line) => line.slice(PREFIX.length));
}

/** This program, as it was started. */
export const program = (): string => process.argv[1] ?? "agent";

/** The newest lines of a log, for a process that ended at once. */
export function lastLines(path: string, lines: number = TAIL_LINES, bytes: number = TAIL_BYTES): readonly string[] {
  return readTailText(path, bytes)
    .split("\n")
    .filter((line) => line !== "")
    .slice(-lines);
}
