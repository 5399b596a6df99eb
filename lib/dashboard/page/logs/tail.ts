/** The end of a log that grows. */
export interface Tail {
  readonly phase: "reading" | "ready" | "failed";
  /** Why it could not be read. */
  readonly problem: string | undefined;
  readonly exists: boolean;
  readonly lines: readonly string[];
  /** Where older lines end, as the owner names the place; null: nothing is older. */
  readonly before: string | null;
}

/** A log that is not read yet. */
export const NO_TAIL: Tail = { phase: "reading", problem: undefined, exists: false, lines: [], before: null };

/** Lines that are kept on the page. */
export const MOST_LINES = 5_000;

type Data = Readonly<Record<string, unknown>>;

/** What an event of the log's topic changes. */
export function heardLine(now: Tail, event: string, data: Data): Tail {
  if (event === "log.begin") {
    const lines = Array.isArray(data["lines"]) ? data["lines"].map(String) : [];
    return { phase: "ready", problem: undefined, exists: data["exists"] === true, lines, before: place(data) };
  }
  if (event === "log.failed") return { ...now, phase: "failed", problem: String(data["message"]) };
  if (event !== "log.lines" || typeof data["text"] !== "string") return now;
  const fresh = data["text"].split("\n").slice(0, -1);
  // A piece whose beginning was dropped does not begin with a whole line.
  const whole = data["cut"] === true ? fresh.slice(1) : fresh;
  return { ...now, exists: true, lines: [...now.lines, ...whole].slice(-MOST_LINES) };
}

/** The same with older lines before it. */
export function withOlderLines(now: Tail, data: Data): Tail {
  const lines = Array.isArray(data["lines"]) ? data["lines"].map(String) : [];
  return { ...now, lines: [...lines, ...now.lines].slice(-2 * MOST_LINES), before: place(data) };
}

const place = (data: Data): string | null => (typeof data["before"] === "string" ? data["before"] : null);
