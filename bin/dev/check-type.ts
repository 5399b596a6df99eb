import type { Source } from "./parse.js";

/** Something that must be mended, at a place. */
export interface Finding {
  readonly file: string;
  readonly line?: number;
  /** Rule in one or two words; an exception names the same. */
  readonly rule: string;
  readonly message: string;
}

export interface CheckResult {
  readonly findings: readonly Finding[];
  /** Lines that are printed in any case. */
  readonly notes?: readonly string[];
}

export interface Check {
  readonly name: string;
  run(sources: readonly Source[]): CheckResult | Promise<CheckResult>;
}
