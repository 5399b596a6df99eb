import { join } from "node:path";
import { exitCodeOf, toAppError, type WireError } from "../../base/errors.js";
import { removeTreeSync } from "../../base/fs/home-files.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import type { Home } from "../../base/home.js";
import type { EpochMs } from "../../base/units.js";

/** Exit code of an owner that cannot open its home: no supervisor is to start it again (gateway part, 3.5). */
const CANNOT_START = 78;

/** Why the last start of an owner failed. A start that fails writes to no store, so this is a file of its own. */
export interface StartFailure {
  readonly at: EpochMs;
  readonly pid: number;
  /** Exit code of the process. */
  readonly exit: number;
  readonly error: Pick<WireError, "code" | "message" | "hint">;
}

const pathIn = (home: Home): string => join(home.runDir, "start-failure.json");

/** Exit code of an owner whose start ended with this error. */
export function exitOfStart(thrown: unknown): number {
  const error = toAppError(thrown);
  return error.code === "E_STORE" || error.code === "E_STORE_FULL" ? CANNOT_START : exitCodeOf(error);
}

/** Record why the start of this process failed, for `gateway status` and for the process that started it. */
export function recordStartFailure(home: Home, thrown: unknown, at: EpochMs): void {
  const { code, message, hint } = toAppError(thrown);
  const failure: StartFailure = { at, pid: process.pid, exit: exitOfStart(thrown), error: { code, message, hint } };
  try {
    replaceTextFile(pathIn(home), `${JSON.stringify(failure)}\n`);
  } catch {
    /* ok to lose: the process prints the failure itself, and the home may be what cannot be written. */
  }
}

/** The failure of the last start; undefined when it succeeded. */
export function readStartFailure(home: Home): StartFailure | undefined {
  try {
    const found: unknown = JSON.parse(readTextSync(pathIn(home)) ?? "null");
    return isFailure(found) ? found : undefined;
  } catch {
    /* ok to lose: the file is a notice, and one that cannot be read says nothing. */
    return undefined;
  }
}

function isFailure(found: unknown): found is StartFailure {
  if (
    typeof found !== "object" ||
    found === null ||
    !("at" in found && "pid" in found && "exit" in found && "error" in found)
  )
    return false;
  const { at, pid, exit, error } = found;
  if (
    typeof at !== "number" ||
    typeof pid !== "number" ||
    typeof exit !== "number" ||
    typeof error !== "object" ||
    error === null
  )
    return false;
  return ["code", "message", "hint"].every((name) => typeof Reflect.get(error, name) === "string");
}

/** A start has succeeded. */
export function forgetStartFailure(home: Home): void {
  if (readTextSync(pathIn(home)) !== undefined) removeTreeSync(pathIn(home));
}
