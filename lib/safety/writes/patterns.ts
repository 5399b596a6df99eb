import { readdirSync } from "node:fs";
import { join } from "node:path";
import { glob } from "../paths/glob.js";

const ENTRIES_AT_MOST = 2_000;
const FOUND_AT_MOST = 100;

export const isPattern = (text: string): boolean => /[*?[]/.test(text);

/** Existing paths that an absolute pattern means; `open` when there are more than are looked at. */
export function expandPattern(pattern: string): { readonly paths: readonly string[]; readonly open: boolean } {
  let paths: readonly string[] = ["/"];
  let looked = 0;
  for (const segment of pattern.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (!isPattern(segment)) {
      paths = paths.map((path) => (segment === ".." ? `${path}/..` : join(path, segment)));
      continue;
    }
    const wanted = glob(segment.replaceAll("[^", "[!"));
    const next: string[] = [];
    for (const path of paths) {
      const names = namesIn(path);
      looked += names.length;
      if (looked > ENTRIES_AT_MOST) return { paths, open: true };
      for (const name of names)
        if (wanted.word(name) && (segment.startsWith(".") || !name.startsWith("."))) next.push(join(path, name));
      if (next.length > FOUND_AT_MOST) return { paths: next.slice(0, FOUND_AT_MOST), open: true };
    }
    paths = next;
  }
  return { paths, open: false };
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // not a directory, or not readable: the pattern finds nothing in it
  }
}
