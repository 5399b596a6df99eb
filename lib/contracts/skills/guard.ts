/** What the scanner of skills judges (housekeeping part, 8). */

/** A file of a skill: `path` below its directory, with `/`. */
export interface SkillFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** May be started as a program; default no. */
  readonly executable?: boolean;
}

/** `dangerous`: what no ordinary skill does. `caution`: what a person should read first. */
export type SkillVerdict = "safe" | "caution" | "dangerous";

/** Families of rules. */
export type SkillRule =
  | "exfiltration"
  | "prompt-override"
  | "destructive"
  | "persistence"
  | "obfuscation"
  | "embedded-secret"
  | "hidden-text"
  | "unreadable";

/** One place of a skill that a rule is about. */
export interface SkillFinding {
  readonly rule: SkillRule;
  /** A note changes no verdict. */
  readonly severity: "note" | "caution" | "dangerous";
  readonly file: string;
  /** Counts from 1; 0: the file as a whole. */
  readonly line: number;
  /** What is found, then the line itself: cut, its control characters and secrets taken out. */
  readonly text: string;
}

export interface SkillScan {
  readonly verdict: SkillVerdict;
  /** The worst first, then by file and line; at most 200. */
  readonly findings: readonly SkillFinding[];
}
