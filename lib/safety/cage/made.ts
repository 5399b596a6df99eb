import { appendFileSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../paths/paths.js";

/** Tells repositories that a person has made from those that commands in cages may have made. */
export interface MadeRepositories {
  /**
   * Of these `.git` entries of a project those that were not there when this process first looked at the project, or that another process has found
   * so. What was there at the first look is a person's: no command had run in the project before.
   */
  find(project: string, repositories: readonly string[]): ReadonlySet<string>;
}

/** For what only looks: everything there is a person's. */
export const NONE_MADE: MadeRepositories = { find: () => new Set() };

/** @param file where they are recorded, one identity a line, so that a later process knows them too */
export function createMadeRepositories(file: string): MadeRepositories {
  /** By project: what was there at the first look. */
  const first = new Map<string, ReadonlySet<string>>();
  return {
    find: (project, repositories) => {
      const present = repositories.flatMap((path) => {
        const identity = identify(path);
        return identity === undefined ? [] : [{ path, identity }];
      });
      const recorded = readRecord(file);
      const isNew = (path: string, identity: string) =>
        [...first].some(([dir, there]) => isWithin(path, dir) && !there.has(identity)) &&
        ![...first.values()].some((there) => there.has(identity));
      const made = present.filter(({ path, identity }) => recorded.has(identity) || isNew(path, identity));
      record(
        file,
        made.map(({ identity }) => identity).filter((identity) => !recorded.has(identity)),
      );
      const isMade = new Set(made.map(({ path }) => path));
      if (!first.has(project))
        first.set(project, new Set(present.filter(({ path }) => !isMade.has(path)).map(({ identity }) => identity)));
      return isMade;
    },
  };
}

/** Of one file or directory, also after it was moved. A number that the system gives again comes with another time of birth. */
function identify(path: string): string | undefined {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts === undefined ? undefined : `${facts.dev}:${facts.ino}:${Math.trunc(facts.birthtimeMs)}`;
}

function readRecord(file: string): ReadonlySet<string> {
  try {
    return new Set(readFileSync(file, "utf8").split("\n"));
  } catch {
    return new Set(); // ok to lose: no command has made one yet
  }
}

function record(file: string, identities: readonly string[]): void {
  if (identities.length === 0) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  appendFileSync(file, identities.map((identity) => `${identity}\n`).join(""), { mode: 0o600 });
}
