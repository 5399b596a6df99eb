import type { LineFinding, Redirect, ShellScope, Simple } from "../options/command-line.js";

/** Everything one parse shares, whatever the depth. */
export interface Parse {
  readonly text: string;
  at: number;
  depth: number;
  readonly scope: ShellScope;
  readonly commands: Simple[];
  readonly findings: LineFinding[];
  readonly functions: Set<string>;
  /** Values of variables that the line itself set to plain text. */
  readonly known: Map<string, string>;
  /** Values that a variable may have, where there are few. */
  readonly choices: Map<string, readonly string[]>;
  /** Where the next command runs. */
  readonly place: ShellPlace;
  /** Why the shell evaluates values as expressions, or sets what later commands mean: such a line does not count as a plain read. */
  readonly evaluates: string[];
  /** Texts with substitutions that the line stores where no word shows them: values of arrays and loops. */
  readonly hidden: string[];
  /** Here-documents whose bodies begin at the next line end. */
  here: Redirect[];
}

/** Directories in which the next command may run, the likeliest first; undefined: one that is not known. */
export interface ShellPlace {
  dirs: readonly (string | undefined)[];
  /** What stays when the last `cd` did not fail. */
  sure?: readonly (string | undefined)[] | undefined;
  /** A function of the line changes the directory. */
  moves?: true;
}

/** Nesting beyond this is not what people write, and would be a way to exhaust the stack. */
const DEPTH_AT_MOST = 40;

/** Leaves the parse: the rest of the line says nothing reliable. */
export class Unparsable extends Error {
  override readonly name = "Unparsable";
}

export function createParse(text: string, scope: ShellScope, shared?: Parse): Parse {
  return {
    text,
    at: 0,
    depth: (shared?.depth ?? 0) + 1,
    scope,
    commands: shared?.commands ?? [],
    findings: shared?.findings ?? [],
    functions: shared?.functions ?? new Set(),
    known: shared?.known ?? new Map(),
    choices: shared?.choices ?? new Map(),
    place: shared?.place ?? { dirs: scope.dirs ?? [scope.cwd] },
    evaluates: shared?.evaluates ?? [],
    hidden: shared?.hidden ?? [],
    here: [],
  };
}

export const peek = (p: Parse, ahead = 0): string => p.text[p.at + ahead] ?? "";

export function fail(p: Parse, what: string): never {
  throw new Unparsable(`${what} at character ${p.at + 1}`);
}

/** Note, once for each reason, that the shell evaluates something. */
export function noteEvaluation(p: Parse, why: string): void {
  if (!p.evaluates.includes(why)) p.evaluates.push(why);
}

/** Go one level deeper while `work` runs. */
export function nested<T>(p: Parse, work: () => T): T {
  p.depth += 1;
  if (p.depth > DEPTH_AT_MOST) fail(p, "nesting too deep");
  try {
    return work();
  } finally {
    p.depth -= 1;
  }
}
