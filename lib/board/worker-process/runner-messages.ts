/**
 * What the owner and a runner say to each other: one JSON object per line. The owner writes to the runner's standard input, the runner
 * to its standard output. Only builtins are imported here, because the runner has to be there at once.
 */

/** First line to the runner. After it the owner commits the runner's identity and writes `GO`. */
export interface RunnerOrder {
  readonly file: string;
  readonly args: readonly string[];
  /** Directory and whole environment of the worker. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Task log. The worker's output is appended below `header`. */
  readonly log: string;
  readonly header: string;
  /** Exit record, written in one step when the worker has ended. */
  readonly exit: string;
  /** Where the worker leaves its last error class when it cannot reach an owner. */
  readonly report: string;
  /** How long what is left of the group may take to leave after SIGTERM, in milliseconds. */
  readonly graceMs: number;
}

export const GO = "go";

/** Lines from the runner. `started` or `failed` comes once, `ended` after the exit record is on disk. */
export type RunnerNews =
  | { readonly news: "started"; readonly pid: number }
  | { readonly news: "failed"; readonly code: string; readonly message: string }
  | { readonly news: "ended"; readonly code: number | null; readonly signal: string | null };

/** Content of the exit record. `start_error`: the program could not be started at all. `ended_at` is unix seconds. */
export interface ExitRecord {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ended_at: number;
  readonly error_class?: string;
  readonly start_error?: string;
}

/** A line of the other side, or undefined when it is none: half a line of a process that was killed while writing. */
export function parseLine<T>(line: string): T | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as T) : undefined; // both sides are this program, of one build
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Splits a stream into lines; a last line without its end is kept back. */
export function lineReader(onLine: (line: string) => void): (chunk: Buffer | string) => void {
  let rest = "";
  return (chunk) => {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) onLine(line);
  };
}
