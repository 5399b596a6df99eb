import { madeExecutable } from "../../safety/exec/classes.js";
import { type ExecScope, inspect } from "../../safety/exec/exec.js";
import { createWrittenLog, noteWritten, type WrittenLog } from "../../safety/exec/written.js";
import type { Permission } from "../../tools/core/define.js";
import { readsOnly } from "../../tools/shell/look.js";

/** What one turn has done so far, as far as permissions look at it. */
export interface TurnFacts {
  /** It has read what came from outside and may hold instructions: no model approves anything any more. */
  untrusted: boolean;
  /** Tell the user something that concerns permissions, once. */
  tell(text: string): void;
}

export function newTurnFacts(tell: (text: string) => void = () => undefined): TurnFacts {
  const told = new Set<string>();
  return {
    untrusted: false,
    tell: (text) => {
      if (told.has(text)) return;
      told.add(text);
      tell(text);
    },
  };
}

/** Files that a lineage has written, in all its turns. They are kept in memory: a new owner begins with none. */
export interface LineageFiles {
  readonly written: WrittenLog;
  /** Files that it has made executable. */
  readonly executable: Set<string>;
}

export const createLineageFiles = (): LineageFiles => ({ written: createWrittenLog(), executable: new Set() });

/** Executable files that one lineage keeps in memory; more are not made by hand. */
const EXECUTABLE_AT_MOST = 10_000;

/** Remember what an allowed call is going to do. */
export function noteAllowed(files: LineageFiles, permission: Permission, scope: ExecScope): void {
  const { written, executable } = files;
  for (const path of permission.paths ?? []) written.file(path);
  if (permission.kind !== "command" || permission.code !== undefined || readsOnly(permission.command, permission.cwd))
    return;
  for (const call of inspect(permission.command, scope).calls) {
    noteWritten(written, call, written.has);
    for (const path of madeExecutable(call)) if (executable.size < EXECUTABLE_AT_MOST) executable.add(path);
  }
}

/** Files that this lineage made, and made executable: running one is asked about. */
export function freshPrograms({ written, executable }: LineageFiles): ReadonlySet<string> {
  return new Set([...executable].filter((path) => written.has(path)));
}
