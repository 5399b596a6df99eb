import { isWithin, realTarget } from "../paths/paths.js";
import { TEMPORARY } from "./lists.js";

/** A lineage's temporary directory, as commands in its cage and file tools see it. */
export interface PrivateTmp {
  /** Directory of this machine. */
  readonly dir: string;
  /** Directories in the real temporary ones that are there in the cage as well: a project, a workspace. */
  readonly kept: () => readonly string[];
}

const ROUNDS = 8;

/**
 * Where a path that a command or a model names lies on this machine: below `/tmp` and `/var/tmp` that is the lineage's own directory, also when a link
 * in it leads to `/tmp` again. A link that leads elsewhere is judged by where it leads.
 */
export function findRealPlace(path: string, tmp: PrivateTmp): string {
  let place = path;
  for (let round = 0; round < ROUNDS; round++) {
    const top = TEMPORARY.find((dir) => isWithin(place, dir));
    if (top === undefined || isWithin(place, tmp.dir) || tmp.kept().some((dir) => isWithin(place, dir))) return place;
    const inner = `${tmp.dir}${place.slice(top.length)}`;
    const target = realTarget(inner);
    if (target === undefined || isWithin(target, realTarget(tmp.dir) ?? tmp.dir)) return inner;
    place = target;
  }
  return `${tmp.dir}/`; // links in a circle of directories: no file is named
}

/** A text about files of the lineage's directory, with the names that commands know them by. */
export function showAsTmp(text: string, tmp: string): string {
  return text.replaceAll(`${tmp}/`, "/tmp/").replaceAll(tmp, "/tmp");
}
