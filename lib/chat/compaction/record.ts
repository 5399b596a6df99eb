import * as z from "zod";
import type { SessionId } from "../../base/units.js";
import type { CompactionRecord } from "../../contracts/chat/compact.js";

/** Name of the lineage record. */
export const COMPACTION_RECORD = "compaction";

/** Compactions in a row that may save little before nothing more is tried (core part, 8.2). */
const POOR = 2;
/** What a compaction has to save. */
const LITTLE = 0.1;

const session = z.string().transform((id) => id as SessionId); // written from one
const schema = z.object({
  count: z.int(),
  poor: z.int(),
  stopped: z.boolean(),
  late: z.boolean(),
  last: z.exactOptional(z.object({ from: session, to: session, tokens: z.number(), messages: z.int() })),
  told: z.exactOptional(z.object({ segment: session, share: z.number() })),
});

const NONE: CompactionRecord = { count: 0, poor: 0, stopped: false, late: false };

export function readRecord(json: string | undefined): CompactionRecord {
  if (json === undefined) return NONE;
  const found = schema.safeParse(JSON.parse(json));
  return found.success ? found.data : NONE; // what another version wrote otherwise is as good as none
}

/** The record after a compaction from one segment to the next. */
export function afterCompaction(
  before: CompactionRecord,
  step: NonNullable<CompactionRecord["last"]>,
  saved: number,
): CompactionRecord {
  const poor = saved < LITTLE ? before.poor + 1 : 0;
  return { count: before.count + 1, poor, stopped: poor >= POOR, late: false, last: step };
}

/** The record after a compaction that was given up because it would have saved nothing. */
export function afterPoor(before: CompactionRecord): CompactionRecord {
  const poor = before.poor + 1;
  return { ...before, poor, stopped: poor >= POOR };
}

/** The record after an undo: no further undo is possible, and nothing automatic happens for a while. */
export function afterUndo({ count, poor, stopped }: CompactionRecord): CompactionRecord {
  return { count: Math.max(0, count - 1), poor: Math.max(0, poor - 1), stopped, late: true };
}
