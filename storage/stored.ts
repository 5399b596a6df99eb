import { basename, dirname } from "node:path";

/**
 * Whether files of a store are there, given the names in its directory: also when its main file is gone. Recovery decides what they are worth; a store of
 * which anything is left is never created again in silence.
 */
export function isStored(path: string, namesIn: (dir: string) => readonly string[]): boolean {
  const name = basename(path);
  return namesIn(dirname(path)).some((found) => {
    const rest = found.startsWith(name) ? found.slice(name.length) : undefined;
    return rest !== undefined && /^(\.current|\.prev|\.log-\d+)?$/.test(rest);
  });
}
