import type { FileFacts } from "../../base/fs/files.js";
import type { SessionId } from "../../base/units.js";
import type { ToolContext } from "../core/define.js";

/** A file as it is on disk, and as an editor has it. */
export interface FileVersion extends FileFacts {
  /** Digest of the text in the editor; absent: no editor was asked. */
  readonly text?: string;
}

/** What tells one state of a file from another. What an editor has not saved changes nothing on disk, so its text counts. */
export const toFileStamp = (state: FileVersion): string =>
  state.text === undefined ? `${state.device}:${state.inode}:${state.size}:${state.mtimeMs}` : `text:${state.text}`;

interface Read {
  readonly stamp: string;
  readonly whole: boolean;
}

interface Repeat {
  readonly key: string;
  readonly stamp: string;
  count: number;
  /** Number of the tool call that read it last. */
  call: number;
}

/** What this conversation has read and written. */
export interface FileLedger {
  readonly reads: Map<string, Read>;
  readonly repeats: Map<string, Repeat>;
  /** Failed patches of one file. */
  readonly misses: Map<string, number>;
  /** Searches of one kind, with the call that made the last one. */
  readonly searches: Map<string, { count: number; call: number }>;
  close?(): Promise<void>;
}

export function seenOf(ctx: ToolContext): FileLedger {
  return ctx.state.entry<FileLedger>("files", () => ({
    reads: new Map(),
    repeats: new Map(),
    misses: new Map(),
    searches: new Map(),
  }));
}

interface CallCounter {
  count: number;
  close?(): Promise<void>;
}

/** Number of tool calls of this conversation so far; the pipeline counts them. */
export function callNumber(state: ToolContext["state"]): CallCounter {
  return state.entry<CallCounter>("calls", () => ({ count: 0 }));
}

/** Who wrote a file last, of all conversations in this process. */
const writers = new Map<string, { readonly session: SessionId; readonly stamp: string }>();
const WRITERS_AT_MOST = 10_000;

export function noteRead(ctx: ToolContext, path: string, facts: FileVersion, whole: boolean): void {
  const seen = seenOf(ctx);
  const stamp = toFileStamp(facts);
  const before = seen.reads.get(path);
  seen.reads.set(path, { stamp, whole: whole || (before?.stamp === stamp && before.whole) });
}

export function noteWrite(ctx: ToolContext, path: string, facts: FileVersion | undefined): void {
  const seen = seenOf(ctx);
  seen.repeats.clear();
  if (facts === undefined) return;
  const stamp = toFileStamp(facts);
  seen.reads.set(path, { stamp, whole: true });
  seen.misses.delete(path);
  writers.delete(path);
  writers.set(path, { session: ctx.session, stamp });
  const oldest = writers.size > WRITERS_AT_MOST ? writers.keys().next().value : undefined;
  if (oldest !== undefined) writers.delete(oldest);
}

/** What a writer should know about the file it replaces. Off with AGENT_DISABLE_FILE_STATE_GUARD=1. */
export function staleWarning(ctx: ToolContext, path: string, facts: FileVersion | undefined): string | undefined {
  if (facts === undefined || ctx.env["AGENT_DISABLE_FILE_STATE_GUARD"] === "1") return undefined;
  const read = seenOf(ctx).reads.get(path);
  if (read === undefined) return "replaced a file which was not read in this conversation";
  if (read.stamp === toFileStamp(facts))
    return read.whole ? undefined : "replaced a file of which only a part was read in this conversation";
  const writer = writers.get(path);
  return writer?.stamp === toFileStamp(facts) && writer.session !== ctx.session
    ? "written by another agent since you last read it"
    : "modified since you last read it";
}

const locks = new Map<string, Promise<void>>();

/** Run `work` while no other tool call of this process works on any of `paths`. */
export async function withLocks<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const names = [...new Set(paths)].sort();
  const before = names.map((name) => locks.get(name));
  let release: () => void = () => undefined;
  const mine = new Promise<void>((resolve) => {
    release = resolve;
  });
  for (const name of names) locks.set(name, mine);
  await Promise.all(before);
  try {
    return await work();
  } finally {
    release();
    for (const name of names) if (locks.get(name) === mine) locks.delete(name);
  }
}
