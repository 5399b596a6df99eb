/** Lines of logs as the owner writes, filters and tells them, and as front ends show them (workspace part, 6.3; housekeeping part, 11). */
import * as z from "zod";

const LOG_SOURCES = ["owner", "errors", "gateway", "board", "mcp", "run", "process"] as const;
export type LogSource = (typeof LOG_SOURCES)[number];

export const LOG_LEVELS = ["error", "warning", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const FILTER_CHARS = 200;

/** Which lines to show. Raw output of programs does not have levels or sessions: there these two let everything through. */
export const logFilterSchema = z.object({
  source: z.enum(LOG_SOURCES),
  /** This level and those above. */
  level: z.enum(LOG_LEVELS).optional(),
  /** A part of the line; capital letters make it exact. */
  text: z.string().max(FILTER_CHARS).optional(),
  session: z.string().max(64).optional(),
  /** Part of the program that wrote the line. */
  component: z.string().max(64).optional(),
  /** Of source `run`. */
  run: z.object({ board: z.string().max(64), task: z.string().max(64), id: z.int() }).optional(),
  /** Of source `process`. */
  process: z.object({ session: z.string().max(64), id: z.string().max(64) }).optional(),
});
export type LogFilter = z.output<typeof logFilterSchema>;

/** Name of the topic that tells lines live. `who` makes it the topic of one front end: it begins with a page of its own. */
export const logTopic = (who: string, filter: LogFilter): string => `${LOG_TOPIC}${JSON.stringify({ who, ...filter })}`;
export const LOG_TOPIC = "logs:";

/** Lines before a place of the log. `before` names that of the first one; null: nothing stands before it. */
export interface LogPage {
  readonly lines: readonly string[];
  readonly before: string | null;
  /** The log is there. */
  readonly exists: boolean;
}

/** A line of the owner's own logs, taken apart. */
export interface LogRecord {
  /** `YYYY-MM-DD HH:MM:SS,mmm`, UTC. */
  readonly at: string;
  readonly level: LogLevel;
  readonly session: string;
  readonly component: string;
  readonly text: string;
}

const LINE = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (DEBUG|INFO|WARNING|ERROR) (?:\[([^\]]*)\] )?([^\s:]+): (.*)$/s;
const BY_NAME: Readonly<Record<string, LogLevel>> = {
  DEBUG: "debug",
  INFO: "info",
  WARNING: "warning",
  ERROR: "error",
};

/** Undefined: not a line of the owner. */
export function logRecord(line: string): LogRecord | undefined {
  const [, at, name = "", session = "", component, text] = LINE.exec(line) ?? [];
  const level = BY_NAME[name];
  if (at === undefined || level === undefined || component === undefined || text === undefined) return undefined;
  return { at, level, session, component, text };
}

/** What lets a line through; made once for many lines. */
export function logMatcher({ level, text, session, component, source }: LogFilter): (line: string) => boolean {
  const says = text === undefined || text === "" ? undefined : textMatcher(text);
  const most = LOG_LEVELS.indexOf(level ?? "debug");
  return (line) => {
    if (says !== undefined && !says(line)) return false;
    if (source === "run" || source === "process") return true;
    const record = logRecord(line);
    if (record === undefined) return session === undefined && component === undefined && source !== "board";
    if (component !== undefined && record.component !== component) return false;
    if (source === "board" && record.component !== "board") return false;
    return LOG_LEVELS.indexOf(record.level) <= most && (session === undefined || record.session === session);
  };
}

/** A text without capital letters is found in any case. */
export function textMatcher(text: string): (line: string) => boolean {
  if (text !== text.toLowerCase()) return (line) => line.includes(text);
  return (line) => line.toLowerCase().includes(text);
}

const FACT = / ([a-z_][\w.]*)=(?=(\S*))/gi;

/** The text of a record and what follows it as `key=value`; a value goes on until the next key. */
export function logFacts(text: string): {
  readonly message: string;
  readonly facts: readonly (readonly [key: string, value: string])[];
} {
  const found = [...text.matchAll(FACT)];
  const [first] = found;
  if (first === undefined) return { message: text, facts: [] };
  const facts = found.map((match, at): readonly [string, string] => {
    const from = match.index + match[0].length;
    return [match[1] ?? "", text.slice(from, found[at + 1]?.index ?? text.length)];
  });
  return { message: text.slice(0, first.index), facts };
}
