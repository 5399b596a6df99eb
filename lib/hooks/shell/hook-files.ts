import { isAbsolute, join } from "node:path";
import { type OpenedFile, openedFile } from "../../base/fs/file-digest.js";
import { privateCopy } from "../../base/fs/private-copy.js";
import { programOnPath } from "../../base/process/program-path.js";
import { baseName, findProgramEntry, INTERPRETERS, SHELLS, WRAPPERS } from "../../safety/options/programs.js";
import type { ShellHook } from "./shell-hook.js";

/** A file that a command runs: its program, and what an interpreter is to read. */
export interface HookFile extends OpenedFile {
  /** Which word of the command names it. */
  readonly word: number;
  /** It reads other files as programs: it is run where it is, since it finds its own parts from there. */
  readonly interpreter: boolean;
}

export type HookFiles =
  | { readonly ok: true; readonly files: readonly HookFile[] }
  | { readonly ok: false; readonly why: string };

/** Relative words mean files of the home: a project has no say in what a hook runs. */
export interface HookPlace {
  readonly home: string;
  readonly path: string | undefined;
}

const readsPrograms = (program: string): boolean =>
  SHELLS.has(program) ||
  findProgramEntry(INTERPRETERS, program) !== undefined ||
  findProgramEntry(WRAPPERS, program) !== undefined;

/** Open every file whose bytes a command runs: its program, and with an interpreter every word that names a file. */
export function openHookFiles({ words }: ShellHook, { home, path }: HookPlace): HookFiles {
  const [name = ""] = words;
  const place = name.includes("/") ? (isAbsolute(name) ? name : join(home, name)) : programOnPath(name, path);
  const program = place === undefined ? undefined : openedFile(place);
  if (place === undefined || program === undefined) return { ok: false, why: `program not found: ${name}` };
  const interpreter = readsPrograms(baseName(name)) || readsPrograms(baseName(program.real));
  const files: HookFile[] = [{ ...program, word: 0, interpreter }];
  if (!interpreter) return { ok: true, files };
  for (const [at, word] of words.entries()) {
    if (at === 0) continue;
    const named = openedFile(isAbsolute(word) ? word : join(home, word)) ?? onPath(word, path);
    if (named !== undefined) files.push({ ...named, word: at, interpreter: readsPrograms(baseName(named.real)) });
  }
  return { ok: true, files };
}

/** `env python3 x.py`: the second word is a program as well. */
function onPath(word: string, path: string | undefined): OpenedFile | undefined {
  const found = /^[\w.+-]+$/.test(word) ? programOnPath(word, path) : undefined;
  return found === undefined ? undefined : openedFile(found);
}

/**
 * The command line that runs exactly these bytes: scripts and programs from a private copy, which tools cannot write, so that a file which is replaced
 * after this look is not run. Interpreters run where they are.
 */
export async function commandOfBytes(
  { words }: ShellHook,
  files: readonly HookFile[],
  home: string,
): Promise<readonly string[]> {
  const line = [...words];
  for (const file of files) line[file.word] = file.interpreter ? file.real : await privateCopy(file, home);
  return line;
}
