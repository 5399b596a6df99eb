import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Simple, UNKNOWN, type Word } from "../options/command-line.js";
import type { Parse, ShellPlace } from "./state.js";

type Dirs = ShellPlace["dirs"];

const DIRECTORIES_AT_MOST = 16;
/** Texts that change the directory when they are run. */
const MOVES = /(^|[\s;&|({])(cd|pushd|popd|chdir)($|[\s;&|)}])/;

/** Both lists, each directory once; with too many, one that is not known stands for the rest. */
export function joinDirs(first: Dirs, second: Dirs): Dirs {
  const all = [...new Set([...first, ...second])];
  return all.length <= DIRECTORIES_AT_MOST ? all : [...all.slice(0, DIRECTORIES_AT_MOST), undefined];
}

/** Note where the command that was just read leaves the shell. */
export function moveBy(p: Parse, simple: Pick<Simple, "words" | "assignments">): void {
  const { place } = p;
  const words = unwrapped(simple.words);
  const program = words[0]?.text ?? "";
  place.sure = undefined;
  if (program === "cd" || program === "pushd" || program === "popd" || program === "chdir") {
    if (p.functions.size > 0) place.moves = true;
    const searched = p.known.has("CDPATH") || simple.assignments.some((word) => word.text.startsWith("CDPATH="));
    const after = program === "popd" ? [undefined] : targetsOf(p, words.slice(1), searched);
    const before = place.dirs;
    place.sure = after;
    place.dirs = after.every((one) => one !== undefined && isDirectory(one)) ? after : joinDirs(after, before);
  } else if (/^(eval|trap|alias)$/.test(program) && MOVES.test(words.map((word) => word.text).join(" ")))
    place.dirs = joinDirs(place.dirs, [undefined]);
  else if (place.moves && p.functions.has(program)) place.dirs = joinDirs(place.dirs, [undefined]);
}

/** `command cd x` and `builtin cd x` are `cd x`. */
function unwrapped(words: readonly Word[]): readonly Word[] {
  let at = 0;
  while (/^(command|builtin)$/.test(words[at]?.text ?? "")) {
    at += 1;
    while ((words[at]?.text ?? "").startsWith("-")) at += 1;
  }
  return words.slice(at);
}

function targetsOf(p: Parse, words: readonly Word[], searched: boolean): Dirs {
  const [target, ...more] = words.filter(
    (word, at) => !/^-[LPe@n]+$/.test(word.text) && (word.text !== "--" || at > 0),
  );
  if (more.length > 0 || target?.splits) return [undefined];
  if (target === undefined) return [p.known.get("HOME") ?? p.scope.userHome];
  const texts = target.choices ?? [target.text];
  const found = texts.flatMap((text) => p.place.dirs.map((dir) => directoryOf(text, dir, searched)));
  return joinDirs(found, []);
}

function directoryOf(text: string, dir: string | undefined, searched: boolean): string | undefined {
  if (text.includes(UNKNOWN) || /^[-+]/.test(text) || /[*?[]/.test(text)) return undefined;
  if (text.startsWith("/")) return resolve(text);
  return dir === undefined || (searched && !text.startsWith(".")) ? undefined : resolve(dir, text);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // not readable: `cd` may fail
  }
}
