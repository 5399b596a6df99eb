import { uptime } from "node:os";

/** Variables that every process has which a tool or a worker started, until it takes them away. */
export const TOOL_MARKS = ["AGENT_SESSION_ID", "AGENT_WORKER_MARK", "AGENT_KANBAN_TASK"] as const;

/** When processes of tools ran in this process's time, in seconds since the start of the system. `to` is open while one runs. */
interface Span {
  readonly from: number;
  to: number;
}

const SPANS_AT_MOST = 2_000;
/** Start times are rounded down to parts of a second. */
const ROUNDED = 0.02;
const spans: Span[] = [];

/** Note that a process with this environment starts. @returns what to call at its end; undefined when no tool starts it */
export function noteToolStart(env: Readonly<Record<string, string>>): (() => void) | undefined {
  if (!TOOL_MARKS.some((mark) => env[mark] !== undefined)) return undefined;
  const span: Span = { from: uptime() - ROUNDED, to: Number.POSITIVE_INFINITY };
  spans.push(span);
  if (spans.length > SPANS_AT_MOST) joinOldest();
  return () => {
    span.to = uptime() + ROUNDED;
  };
}

/** A tool's process ran at this time since the start of the system. */
export const ranTools = (at: number): boolean => spans.some(({ from, to }) => from <= at && at <= to);

/** The two oldest become one that also covers the time between them: nothing of a tool is missed. */
function joinOldest(): void {
  const [first, second] = spans.splice(0, 2);
  if (first !== undefined && second !== undefined)
    spans.unshift({ from: first.from, to: Math.max(first.to, second.to) });
}
