import { join } from "node:path";
import * as z from "zod";
import { moveFile } from "../base/fs/directory.js";
import { readRegularFileSync } from "../base/fs/files.js";
import { replaceTextFile } from "../base/fs/text-file.js";
import { jsonOf } from "../base/json/record.js";
import type { SessionId } from "../base/units.js";
import { MEMORY_SCOPES, MEMORY_TARGETS, type MemoryEntry, type PendingMemory } from "../contracts/memory/memory.js";
import { memoriesDir } from "./places.js";

/** What lies beside the files: where each entry came from, and changes that wait. */
export interface Records {
  readonly entries: readonly MemoryEntry[];
  readonly pending: readonly PendingMemory[];
}

const source = z.object({
  kind: z.enum(["turn", "person", "import", "edited"]),
  session: z
    .string()
    .transform((id) => id as SessionId) // a conversation had it
    .optional(),
  turn: z.string().optional(),
  by: z.string().optional(),
});
const target = z.enum(MEMORY_TARGETS);
const scope = z.enum(MEMORY_SCOPES);
const entry = z.object({
  id: z.string().regex(/^m_[0-9a-f]{8}$/),
  target,
  scope,
  of: z.string(),
  text: z.string(),
  source,
  created_at: z.number(),
  used_at: z.number().nullable().catch(null),
  expires_at: z.number().nullable().catch(null),
  confidence: z.number().min(0).max(1).catch(1),
  untrusted: z.boolean().catch(true),
  replaced: z.string().optional(),
});
const change = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("add"),
    target,
    content: z.string(),
    scope: scope.optional(),
    ttl: z.number().optional(),
    contradicts: z.string().optional(),
  }),
  z.object({
    action: z.literal("replace"),
    target,
    which: z.string(),
    content: z.string(),
    ttl: z.number().optional(),
  }),
  z.object({ action: z.literal("remove"), target, which: z.string() }),
]);
const preview = z.object({ id: z.string(), text: z.string(), age: z.string() });
const pending = z.object({
  id: z.string().regex(/^p_[0-9a-f]{8}$/),
  change,
  scope,
  of: z.string(),
  author: z.object({ source, untrusted: z.boolean() }),
  created_at: z.number(),
  why: z.string(),
  near: z.array(preview).catch([]),
});
const file = z.object({ entries: z.array(z.unknown()).catch([]), pending: z.array(z.unknown()).catch([]) });

const FILE_MAX = 16 << 20;

const recordsPath = (homeDir: string): string => join(memoriesDir(homeDir), ".entries.json");

/** What is recorded. An invalid record is left out; a damaged file is empty, and its entries count as edited by hand. */
export function readRecords(homeDir: string): Records {
  const bytes = readRegularFileSync(recordsPath(homeDir), FILE_MAX);
  const given = file.safeParse(bytes === undefined ? undefined : jsonOf(bytes.toString("utf8")));
  if (!given.success) return { entries: [], pending: [] };
  const holding = <S extends z.ZodType>(shape: S, all: readonly unknown[]): readonly z.output<S>[] =>
    all.flatMap((one) => {
      const read = shape.safeParse(one);
      return read.success ? [read.data] : [];
    });
  return {
    entries: holding(entry, given.data.entries),
    pending: holding(pending, given.data.pending),
  };
}

/** Records that cannot be read are moved aside before they are written again. */
export function writeRecords(homeDir: string, { entries, pending }: Records): void {
  const path = recordsPath(homeDir);
  const bytes = readRegularFileSync(path, FILE_MAX);
  if (bytes !== undefined && !file.safeParse(jsonOf(bytes.toString("utf8"))).success) moveFile(path, `${path}.damaged`);
  replaceTextFile(path, `${JSON.stringify({ entries, pending }, null, 1)}\n`, 0o600);
}
