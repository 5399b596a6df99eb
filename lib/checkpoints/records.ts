import * as z from "zod";
import type { CheckpointKind, CheckpointRecord } from "../contracts/owner/checkpoints.js";

/** Layout of the store. Another number is another layout: it is set aside, never read. */
export const LAYOUT = 1;

const use = z.object({
  /** Grows within the directory, over all its checkpoints. */
  n: z.int(),
  kind: z.enum(["before", "after", "hand", "rollback"]),
  reason: z.string(),
  lineage: z.string().nullable(),
  session: z.string().nullable(),
  turn: z.string().nullable(),
  round: z.int(),
  at: z.number(),
});

/** One moment at which the directory was in this state. */
export type Use = z.output<typeof use>;
export type NewUse = Omit<Use, "n">;

const header = z.object({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  seq: z.int(),
  made_at: z.number(),
  parent: z.string().nullable(),
  files: z.int(),
  partial: z.enum(["entries", "time", "size"]).optional(),
  uses: z.array(use).min(1),
});

/** What is kept of a checkpoint beside its manifest. */
export type CheckpointHeader = z.output<typeof header>;

const project = z.object({ directory: z.string(), hash: z.string(), created_at: z.number(), last_touch: z.number() });
export type ProjectRecord = z.output<typeof project>;

const left = z.object({
  /** Uses up to this one belong to turns whose changes are known. */
  upto: z.int(),
  /** Path -> content that the agent last left there, the lineage that did, and what a rollback under way puts there. */
  paths: z.record(z.string(), z.tuple([z.string(), z.string().nullable(), z.string().nullable()])),
});
export type UnrestoredRecord = z.output<typeof left>;

export const NOTHING_LEFT: UnrestoredRecord = { upto: 0, paths: {} };

/** A record of the store as JSON text; undefined when it is damaged. */
function reader<T extends z.ZodType>(schema: T): (text: string) => z.output<T> | undefined {
  return (text) => {
    try {
      return schema.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined; // no JSON: damaged as well
    }
  };
}

export const readHeader = reader(header);
export const readProject = reader(project);
export const readLeft = reader(left);

const SHOWN_FIRST: Readonly<Record<CheckpointKind, number>> = { hand: 0, before: 1, rollback: 2, after: 3 };

/** The use that tells best what the checkpoint is good for. */
function mainUse(of: CheckpointHeader): Use {
  const [first = NO_USE, ...rest] = of.uses;
  return rest.reduce((best, one) => (SHOWN_FIRST[one.kind] <= SHOWN_FIRST[best.kind] ? one : best), first);
}

const NO_USE: Use = { n: 0, kind: "after", reason: "", lineage: null, session: null, turn: null, round: 0, at: 0 }; // the schema asks for one use at least

/** Only the end of turns led here: where the directory still is, unless something changed it since. */
export const isOnlyEnd = (of: CheckpointHeader): boolean => of.uses.every((one) => one.kind === "after");

export function toRecord(of: CheckpointHeader, directory: string): CheckpointRecord {
  const main = mainUse(of);
  const ended = of.uses.find((one) => one.kind === "after");
  return {
    id: of.id,
    directory,
    lineage: main.lineage,
    session: main.session,
    turn: main.turn,
    round: main.round,
    seq: of.seq,
    made_at: of.made_at,
    kind: main.kind,
    reason: ended === undefined || ended === main ? main.reason : `${main.reason}, ${ended.reason}`,
    parent: of.parent,
    files: of.files,
    ...(of.partial === undefined ? {} : { partial: of.partial }),
  };
}
