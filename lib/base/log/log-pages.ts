import { type LogParts, openLogParts, textOfTail } from "./log-parts.js";

/** Which lines of a log are wanted, read backwards. */
export interface PageQuestion {
  readonly path: string;
  /** Place that the last page gave; undefined: the end. */
  readonly before: string | undefined;
  /** At most so many lines. */
  readonly lines: number;
  keep(line: string): boolean;
  /** Part of the log that is looked at; undefined: it does not exist. Default: all. */
  range?(log: LogParts): { readonly from: number; readonly to: number } | undefined;
}

/** A portion: lines oldest first. Nothing stands before it where `before` is undefined. */
export interface Portion {
  readonly lines: readonly string[];
  readonly before: string | undefined;
  readonly exists: boolean;
}

/** Bytes that are looked at at once: short enough not to delay others. */
const PORTION_BYTES = 256 << 10;
const MARK_BYTES = 48;
/** How far a place is looked for that has moved because the oldest backup was dropped. */
const MOVED_BYTES = 32 << 20;
const NEWLINE = 10;

/** Lines before a place, as many as one portion gives. A log is never read as a whole; no bytes of it are read for a page that was not asked for. */
export function readPortion(question: PageQuestion): Portion {
  const log = openLogParts(question.path);
  try {
    const range = question.range === undefined ? { from: 0, to: log.size } : question.range(log);
    if (range === undefined || !log.exists) return { lines: [], before: undefined, exists: false };
    const to = question.before === undefined ? range.to : placeOf(log, question.before);
    if (to === undefined || to <= range.from) return { lines: [], before: undefined, exists: true };
    const { lines, at } = backwards(log, { from: range.from, to }, question);
    return { lines, before: at > range.from ? markOf(log, at) : undefined, exists: true };
  } finally {
    log.close();
  }
}

function backwards(log: LogParts, { from, to }: { from: number; to: number }, { lines: most, keep }: PageQuestion) {
  const start = Math.max(from, to - PORTION_BYTES);
  const bytes = log.read(start, to);
  const lines: string[] = [];
  let end = bytes.length > 0 && bytes[bytes.length - 1] === NEWLINE ? bytes.length - 1 : bytes.length;
  let at = to;
  while (end >= 0 && lines.length < most && at > start) {
    const newline = end === 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);
    // The beginning of a line that is longer than a portion is shown as a line of its own.
    if (newline < 0 && start > from && at < to) break;
    const line = textOfTail(bytes.subarray(newline + 1, end));
    if (keep(line)) lines.push(line);
    at = start + newline + 1;
    end = newline;
  }
  return { lines: lines.reverse(), at };
}

/**
 * A place is named by its distance from the oldest byte and by what stands there, so that it is found again when old bytes were dropped;
 * `end` in the place of the distance: the last one where that stands.
 */
const markOf = (log: LogParts, at: number): string =>
  `${at}:${log.read(at, Math.min(log.size, at + MARK_BYTES)).toString("base64")}`;

function placeOf(log: LogParts, place: string): number | undefined {
  const [offset = "", text = ""] = place.split(":");
  const at = offset === "end" ? log.size : Number(offset);
  const mark = Buffer.from(text, "base64");
  if (!Number.isSafeInteger(at) || at < 0 || mark.length === 0) return undefined;
  if (log.read(at, at + mark.length).equals(mark)) return at;
  for (let to = Math.min(at, log.size); to > 0 && at - to < MOVED_BYTES; to -= PORTION_BYTES) {
    const from = Math.max(0, to - PORTION_BYTES);
    const found = log.read(from, Math.min(log.size, to + mark.length)).lastIndexOf(mark);
    if (found >= 0) return from + found;
  }
  return undefined;
}
