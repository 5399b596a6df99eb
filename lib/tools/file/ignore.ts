import { glob, matchSegment } from "../../safety/paths/glob.js";

/** One line of an ignore file. */
interface Line {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  readonly matches: (path: string, name: string) => boolean;
}

/** Rules of one ignore file; paths are relative to its directory. */
export interface IgnoreRules {
  /** Directory of the file, relative to the search root, "" for the root itself, with `/` at its end otherwise. */
  readonly base: string;
  readonly lines: readonly Line[];
}

export const IGNORE_FILES = [".gitignore", ".ignore", ".agentignore"] as const;

export function parseIgnore(text: string, base: string): IgnoreRules | undefined {
  const lines = text.split(/\r?\n/).flatMap((raw) => {
    const line = parseLine(raw);
    return line === undefined ? [] : [line];
  });
  return lines.length === 0 ? undefined : { base, lines };
}

function parseLine(raw: string): Line | undefined {
  let text = raw.replace(/(?<!\\)\s+$/, "");
  if (text === "" || text.startsWith("#")) return undefined;
  const negated = text.startsWith("!");
  if (negated) text = text.slice(1);
  const directoriesOnly = text.endsWith("/");
  if (directoriesOnly) text = text.slice(0, -1);
  if (!text.includes("/")) return { negated, directoriesOnly, matches: byName(text) };
  const pattern = glob(text.startsWith("/") ? text.slice(1) : text);
  return { negated, directoriesOnly, matches: (path) => pattern.path(path) };
}

/** Most patterns are plain names or `*.x`; those need no matcher. */
function byName(text: string): Line["matches"] {
  if (!/[*?[\\]/.test(text)) return (_path, name) => name === text;
  if (/^\*\.[^*?[\\]+$/.test(text))
    return (_path, name) => name.endsWith(text.slice(1)) && name.length > text.length - 1;
  return (_path, name) => matchSegment(text, name);
}

/** A path is ignored. The last line that matches decides, the nearest file's lines coming last. */
export function isIgnored(rules: readonly IgnoreRules[], path: string, name: string, directory: boolean): boolean {
  for (let at = rules.length - 1; at >= 0; at--) {
    const one = rules[at];
    if (one === undefined || !path.startsWith(one.base)) continue;
    const inner = path.slice(one.base.length);
    for (let index = one.lines.length - 1; index >= 0; index--) {
      const line = one.lines[index];
      if (line === undefined || (line.directoriesOnly && !directory)) continue;
      if (line.matches(inner, name)) return !line.negated;
    }
  }
  return false;
}
