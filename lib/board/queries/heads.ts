import type { LogParts } from "../../base/log/log-parts.js";

/** Where the part of a run begins. */
export interface Head {
  readonly run: number;
  readonly at: number;
}

const PIECE = 256 * 1024;
/** Longest head line. */
const MAX_HEAD = 512;
const BEGIN = Buffer.from("=== run ");
const NEWLINE = 10;

/** Head lines of the runs in a log, in their order. */
function headsOf(log: LogParts): readonly Head[] {
  const heads: Head[] = [];
  for (let at = 0; at < log.size; at += PIECE) {
    // One byte more before, to see that a line begins, and a head's length more behind.
    const from = Math.max(0, at - 1);
    const bytes = log.read(from, Math.min(log.size, at + PIECE + MAX_HEAD));
    for (const head of headsIn(bytes, from)) if (head.at >= at && head.at < at + PIECE) heads.push(head);
  }
  return heads;
}

function headsIn(bytes: Buffer, offset: number): Head[] {
  const heads: Head[] = [];
  for (let at = bytes.indexOf(BEGIN); at !== -1; at = bytes.indexOf(BEGIN, at + 1)) {
    if (at > 0 ? bytes[at - 1] !== NEWLINE : offset > 0) continue;
    const end = bytes.indexOf(NEWLINE, at);
    const line = bytes.subarray(at, end === -1 ? Math.min(bytes.length, at + MAX_HEAD) : end).toString("utf8");
    const run = /^=== run (\d+) profile=.* ===$/.exec(line)?.[1];
    if (run !== undefined) heads.push({ run: Number(run), at: offset + at });
  }
  return heads;
}

/**
 * Where the part of one run lies; undefined when nothing of it is kept. What stands before the first head that is left belongs to the run before it:
 * its own head was rotated away.
 *
 * @param runs Ids of the task's runs in their order
 */
export function rangeOf(log: LogParts, run: number, runs: readonly number[]): { from: number; to: number } | undefined {
  const heads = headsOf(log);
  const index = heads.findIndex((head) => head.run === run);
  const own = heads[index];
  if (own !== undefined) return { from: own.at, to: heads[index + 1]?.at ?? log.size };
  const first = heads[0];
  const before = first === undefined ? runs.at(-1) : runs[runs.indexOf(first.run) - 1];
  const to = first?.at ?? log.size;
  return before === run && to > 0 ? { from: 0, to } : undefined;
}
