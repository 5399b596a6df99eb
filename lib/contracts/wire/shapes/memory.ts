import * as z from "zod";
import { MEMORY_SCOPES, MEMORY_TARGETS } from "../../memory/memory.js";

/** Notes of the agent, or what it knows of its user. */
export const memoryTarget = z.enum(MEMORY_TARGETS);
/** For whom an entry holds. */
export const memoryScope = z.enum(MEMORY_SCOPES);
const at = z.number().describe("milliseconds since 1970");
const source = z.object({
  kind: z.enum(["turn", "person", "import", "edited"]),
  session: z.string().optional(),
  turn: z.string().optional(),
  by: z.string().optional(),
});
/** An entry of the memory. */
export const memoryEntryShape = z
  .object({
    id: z.string(),
    target: memoryTarget,
    scope: memoryScope,
    of: z.string().describe("real path of the project or slug of the board"),
    text: z.string(),
    source,
    created_at: at,
    used_at: at.nullable(),
    expires_at: at.nullable(),
    confidence: z.number(),
    untrusted: z.boolean(),
    replaced: z.string().optional(),
  })
  .meta({ id: "MemoryEntry" });
const preview = z.object({ id: z.string(), text: z.string(), age: z.string() });
/** A change of the memory that waits for a person. */
export const pendingMemoryShape = z
  .object({
    id: z.string(),
    change: z.record(z.string(), z.unknown()),
    scope: memoryScope,
    of: z.string(),
    author: z.object({ source, untrusted: z.boolean() }),
    created_at: at,
    why: z.string(),
    near: z.array(preview),
  })
  .meta({ id: "PendingMemory" });
/** A memory file in another form. */
export const damagedMemoryShape = z.object({ path: z.string(), why: z.string(), backup: z.string().nullable() });

/** The files of the memory, and what waits. */
export const memoryStatusShape = z.object({
  enabled: z.object({ memory: z.boolean(), user: z.boolean() }),
  files: z.array(
    z.object({
      target: memoryTarget,
      scope: memoryScope,
      of: z.string(),
      path: z.string(),
      count: z.int(),
      usage: z.string(),
    }),
  ),
  pending: z.int(),
  expired: z.int(),
  damaged: z.array(damagedMemoryShape),
  provider: z.string().nullable(),
});
/** What became of a change of the memory. */
export const memoryOutcomeShape = z.object({
  done: z.enum(["added", "replaced", "removed", "known", "nothing"]),
  message: z.string(),
  target: memoryTarget,
  scope: memoryScope,
  of: z.string(),
  entries: z.array(z.string()),
  usage: z.string(),
  entry: memoryEntryShape.optional(),
  why: z.string().optional(),
  about: z.array(preview).optional(),
});

/** A file of the memory as a conversation knows it. */
export const memoryFileShape = z.object({
  target: memoryTarget,
  scope: memoryScope,
  of: z.string(),
  entries: z.array(z.string()),
  usage: z.string(),
});
