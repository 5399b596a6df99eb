import * as z from "zod";
import type { SessionId, TurnId } from "../../base/units.js";
import type { MessageRecord, Transcript } from "../../contracts/chat/chat.js";

/** Lineage record: the thread of another program that works this conversation (extensions part, 8.8). */
export const RUNTIME_RECORD = "runtime";

/** Turns, items and told notices that the record remembers; older ones are dropped. */
const KEPT_TURNS = 200;
const KEPT_ITEMS = 128;
const KEPT_TOLD = 32;

const recordSchema = z.object({
  /** Runtime that has the thread: `app-server`. */
  program: z.string(),
  session: z.string(),
  cwd: z.string(),
  thread: z.string(),
  /** Last turn of the conversation before the thread began; the thread got it and what stood before. Null: without an earlier turn. */
  after: z.string().nullable(),
  /** Turns that the thread holds, in order: ours, and what the program calls it where it began. */
  turns: z.array(z.object({ turn: z.string(), of: z.string().nullable() })),
  /** Keys of its newest stored items. */
  items: z.array(z.string()),
  /** Notices that were told once. */
  told: z.array(z.string()),
});

export type RuntimeRecord = z.output<typeof recordSchema>;

/** The record as it is stored; undefined without one, or for one that cannot be read. */
export async function readRuntimeRecord(transcript: Pick<Transcript, "record">): Promise<RuntimeRecord | undefined> {
  const json = await transcript.record(RUNTIME_RECORD);
  if (json === undefined) return undefined;
  try {
    return recordSchema.parse(JSON.parse(json));
  } catch {
    return undefined; // written by a version that kept it otherwise: a new thread begins with what was said
  }
}

/** The record within its bounds, as it is stored. */
export const runtimeJson = (record: RuntimeRecord): string =>
  JSON.stringify({
    ...record,
    turns: record.turns.slice(-KEPT_TURNS),
    items: record.items.slice(-KEPT_ITEMS),
    told: record.told.slice(-KEPT_TOLD),
  });

/** Where a turn works. */
export interface ThreadPlace {
  readonly program: string;
  readonly session: SessionId;
  readonly cwd: string;
}

/** How the thread of a conversation goes on. */
export type ThreadPlan =
  | { readonly how: "go on"; readonly record: RuntimeRecord; readonly revertTo?: string }
  /** `because`: why the existing thread cannot go on; undefined: without a thread. */
  | { readonly how: "begin"; readonly because?: string };

/**
 * Whether the thread knows exactly what the conversation holds. Turns at its end that the conversation no longer has were undone: the program goes
 * back to before the first of them. Anything else that differs needs a new thread.
 *
 * @param before turns of the conversation, in order, without the one that begins
 */
export function planThread(
  record: RuntimeRecord | undefined,
  place: ThreadPlace,
  before: readonly string[],
): ThreadPlan {
  if (record === undefined) return { how: "begin" };
  if (record.program !== place.program) return { how: "begin", because: "another program had it" };
  if (record.session !== place.session) return { how: "begin", because: "the conversation has a new segment" };
  if (record.cwd !== place.cwd) return { how: "begin", because: "the directory has changed" };
  const since = turnsSince(record, before);
  if (since === undefined) return { how: "begin", because: "messages before it were changed" };
  const known = record.turns;
  const same = since.length <= known.length && since.every((turn, at) => known[at]?.turn === turn);
  if (!same) return { how: "begin", because: "other turns came between" };
  if (since.length === known.length) return { how: "go on", record };
  const revertTo = known.slice(since.length).find(({ of }) => of !== null)?.of;
  const left = { ...record, turns: known.slice(0, since.length) };
  if (revertTo === undefined || revertTo === null) return { how: "go on", record: left };
  // The first input of a thread holds what was said before: taken back, that would be gone as well.
  if (since.length === 0) return { how: "begin", because: "its first turn was undone" };
  return { how: "go on", record: left, revertTo };
}

/** Turns of the conversation that the thread should hold; undefined: what stood before it is not there any more. */
function turnsSince({ after, turns }: RuntimeRecord, before: readonly string[]): readonly string[] | undefined {
  if (turns.length >= KEPT_TURNS) {
    // The record has forgotten the first ones: it is compared from the oldest that it knows.
    const first = turns[0]?.turn;
    const at = before.indexOf(first ?? "");
    return at === -1 ? undefined : before.slice(at);
  }
  if (after === null) return before;
  const at = before.indexOf(after);
  return at === -1 ? undefined : before.slice(at + 1);
}

/** Turns of the conversation as the model would see it, without the one that begins. */
export const turnsBefore = (messages: readonly MessageRecord[], turn: TurnId): readonly string[] => [
  ...new Set(messages.filter((one) => one.active && one.turn_id !== turn).map(({ turn_id }) => turn_id)),
];
