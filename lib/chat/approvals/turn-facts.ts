import { madeExecutable } from "../../safety/exec/classes.js";
import { writeTargets } from "../../safety/exec/writes/find.js";
import { type ExecScope, inspect } from "../../safety/exec.js";
import type { Permission } from "../../tools/define.js";
import { readsOnly } from "../../tools/terminal/look.js";

/** What one turn has done so far, as far as permissions look at it. */
export interface TurnFacts {
  /** It has read what came from outside and may hold instructions: no model approves anything any more. */
  untrusted: boolean;
  /** Files that it has written. */
  readonly written: Set<string>;
  /** Files that it has made executable. */
  readonly executable: Set<string>;
  /** Tell the user something that concerns permissions, once. */
  tell(text: string): void;
}

export function newTurnFacts(tell: (text: string) => void = () => undefined): TurnFacts {
  const told = new Set<string>();
  return {
    ...{ untrusted: false, written: new Set(), executable: new Set() },
    tell: (text) => {
      if (told.has(text)) return;
      told.add(text);
      tell(text);
    },
  };
}

/** Paths that one turn may keep in mind; nobody writes more by hand. */
const PATHS_AT_MOST = 10_000;

/** Remember what an allowed call is going to do. */
export function noteAllowed(facts: TurnFacts, permission: Permission, scope: ExecScope): void {
  if (facts.written.size + facts.executable.size > PATHS_AT_MOST) return;
  for (const path of permission.paths ?? []) facts.written.add(path);
  if (permission.kind !== "command" || readsOnly(permission.command)) return;
  for (const call of inspect(permission.command, scope).calls) {
    for (const path of writeTargets(call)) if (path !== undefined) facts.written.add(path);
    for (const path of madeExecutable(call)) facts.executable.add(path);
  }
}

/** Files that this turn made, and made executable: running one is asked about. */
export function freshPrograms({ written, executable }: TurnFacts): ReadonlySet<string> {
  return new Set([...executable].filter((path) => written.has(path)));
}
