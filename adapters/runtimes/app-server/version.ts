import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { systemCode, toAppError } from "../../../lib/base/errors.js";
import { isProgram, programOnPath } from "../../../lib/base/process/program-path.js";
import { runProgram } from "../../../lib/base/process/run-program.js";
import type { Spawner } from "../../../lib/base/process/spawn.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { RuntimeProgram } from "../../../lib/contracts/runtimes/switch.js";

/** Oldest version whose protocol we speak. Newer ones are always accepted (extensions part, 8.1). */
export const OLDEST = "0.125.0";

const ANSWER_MS: Ms = 10_000;
/** Longest time that what is left of an ended program may hold its output open. */
const LEFT_MS: Ms = 5_000;
const SHOWN_CHARS = 200;

type Env = Readonly<Record<string, string | undefined>>;

interface Parts {
  readonly spawner: Spawner;
  readonly clock: Pick<Clock, "after">;
  readonly env: Env;
  /** Takes secrets out of what the program printed. */
  readonly redact: (text: string) => string;
}

/** Variables that the program has while it prints its version. */
const PASSED = /^(PATH|HOME|USER|LANG|LC_\w+|TERM|SHELL|TMPDIR|CODEX_HOME)$/;

/** Absolute path of the program of a setting: a name on PATH, or a path. */
export function findProgram(command: string, env: Env): string | undefined {
  if (!command.includes("/")) return programOnPath(command, env["PATH"]);
  const home = env["HOME"] ?? homedir();
  const path = command.startsWith("~/") ? resolve(home, command.slice(2)) : command;
  return isAbsolute(path) && isProgram(path) ? path : undefined;
}

/** What stands for the app-server on this machine, and whether it can be used. Runs it with `--version`; never throws for what it does. */
export async function examineProgram(command: string, parts: Parts, signal: AbortSignal): Promise<RuntimeProgram> {
  const path = findProgram(command, parts.env);
  if (path === undefined) return { command, problem: missing(command) };
  const answer = await ask(path, parts, signal);
  if ("problem" in answer) return { command, path, problem: answer.problem };
  const version = /\d+\.\d+\.\d+/.exec(answer.text)?.[0];
  if (version === undefined)
    return { command, path, problem: `${path} --version names no version: ${said(answer.text, parts)}` };
  if (!isOlder(version, OLDEST)) return { command, path, version };
  return { command, path, version, problem: `${path} is version ${version}; ${OLDEST} or newer is needed` };
}

const missing = (command: string): string =>
  command.includes("/") ? `${command} is not a program` : `no program ${command} on PATH`;

async function ask(
  path: string,
  parts: Parts,
  signal: AbortSignal,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const env = Object.fromEntries(
    Object.entries(parts.env).filter((pair): pair is [string, string] => pair[1] !== undefined && PASSED.test(pair[0])),
  );
  const slow = `${path} --version did not answer within ${ANSWER_MS / 1_000} s`;
  let cancel: (() => void) | undefined;
  const late = new Promise<{ readonly problem: string }>((resolve) => {
    cancel = parts.clock.after(ANSWER_MS + LEFT_MS, () => resolve({ problem: slow }));
  });
  const run = runProgram(parts, { file: path, args: ["--version"], cwd: "/", env, ms: ANSWER_MS }, signal).then(
    ({ code, stdout, stderr, timedOut }) => {
      if (timedOut) return { problem: slow };
      if (code !== 0)
        return {
          problem: `${path} --version failed (exit ${code ?? "by a signal"}): ${said(stderr || stdout, parts)}`,
        };
      return { text: stdout };
    },
    (error: unknown) => {
      signal.throwIfAborted();
      return { problem: `${path} cannot be started (${systemCode(error) ?? toAppError(error).message})` };
    },
  );
  try {
    return await Promise.race([run, late]);
  } finally {
    cancel?.();
  }
}

/** The beginning of what a program printed, on one line. */
const said = (text: string, { redact }: Parts): string => {
  const line = redact(text)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return line === "" ? "it printed nothing" : `'${line.slice(0, SHOWN_CHARS)}'`;
};

/** Whether version `a` comes before `b`, by numbers. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (const at of [0, 1, 2]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
