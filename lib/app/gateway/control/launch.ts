import { join } from "node:path";
import { makeDir } from "../../../base/dir.js";
import type { Home } from "../../../base/home.js";
import type { Child } from "../../../base/spawn.js";
import { systemSpawner } from "../../../base/spawn-system.js";
import { tailText } from "../../../base/text-file.js";
import { envOf } from "./place.js";

const TAIL_BYTES = 4096;
const TAIL_LINES = 5;

/** The log that a gateway without a terminal writes to. */
export const logOf = (home: Home): string => join(home.logs, "gateway.log");

/** Start a process of this program that owns a home, on its own: it outlives this one, and writes to logs/gateway.log. */
export async function launch(home: Home, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Child> {
  makeDir(home.logs);
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
  return child;
}

/** This program, as it was started. */
export const program = (): string => process.argv[1] ?? "agent";

/** The newest lines of a log, for somebody whose process ended at once. */
export function lastLines(path: string, lines: number = TAIL_LINES, bytes: number = TAIL_BYTES): readonly string[] {
  return tailText(path, bytes)
    .split("\n")
    .filter((line) => line !== "")
    .slice(-lines);
}
