/** Stands in a word's text for a part that only running it would tell. */
export const UNKNOWN = "\u0000";

/** Commands of the flat list with an index in `[from, to)`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface Word {
  /** Without quotes and escapes; `UNKNOWN` for parts from variables and substitutions whose value is not known. */
  readonly text: string;
  /** Nothing in it comes from a variable or a substitution. */
  readonly literal: boolean;
  /** Has an unquoted `*`, `?` or `[`. */
  readonly glob: boolean;
  /** Some part was quoted or escaped, so it cannot be a reserved word or an assignment by accident. */
  readonly quoted: boolean;
  /** Commands of its substitutions. */
  readonly inner: readonly Range[];
  /** Every text that it may stand for, where its unknown parts have few known values. */
  readonly choices?: readonly string[];
  /** An unquoted unknown part may make several words of it. */
  readonly splits?: true;
}

export interface Redirect {
  /** `>`, `>>`, `>|`, `<`, `<>`, `>&`, `<&`, `&>`, `&>>`, `<<`, `<<-`, `<<<`. */
  readonly op: string;
  readonly target: Word;
  /** Text of a here-document, once it was read. */
  body?: Word;
}

/** One program call with everything the shell would hand it. */
export interface Simple {
  readonly words: readonly Word[];
  readonly assignments: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Commands whose output it reads through a pipe. */
  readonly feed: Range | undefined;
  /** Programs that start it, outermost first: `["sudo", "env"]`. */
  readonly under: readonly string[];
  /** Directory it most likely runs in; undefined when a `cd` before it is not known. */
  readonly cwd: string | undefined;
  /** Every directory it may run in, where there are several; undefined among them: one that is not known. */
  readonly dirs?: readonly (string | undefined)[];
}

export type FindingKind = "unparsable" | "dynamic-program" | "disguised" | "inline-code";

export interface LineFinding {
  readonly kind: FindingKind;
  readonly text: string;
}

export interface ParsedCommand {
  readonly commands: readonly Simple[];
  readonly findings: readonly LineFinding[];
  /** Names of functions that the line itself defines. */
  readonly functions: ReadonlySet<string>;
  /** Why the shell evaluates values as expressions; empty: every value of the line is only text. */
  readonly evaluates: readonly string[];
  /** The line holds more commands than are looked at. */
  readonly tooMany?: true;
}

/** What is known of the place where a line will run. */
export interface ShellScope {
  readonly cwd: string | undefined;
  readonly userHome: string;
  readonly agentHome: string;
  /** Every directory that the line may begin in, where there are several. */
  readonly dirs?: readonly (string | undefined)[];
}

export const literalWord = (text: string): Word => ({ text, literal: true, glob: false, quoted: true, inner: [] });
