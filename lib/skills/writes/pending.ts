import { join } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { listNames, removeFileSync } from "../../base/fs/directory.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import { replaceTextFile } from "../../base/fs/text-file.js";
import { jsonOf } from "../../base/json/record.js";
import type { PendingWrite, SkillEdit } from "../../contracts/skills/writes.js";
import { dirMove, fileChange, storedFiles, writtenBy } from "./record.js";

/** Changes that may wait at once. */
const PENDING_MAX = 100;
const FILE_MAX = 64 << 20;
const ID = /^[0-9a-f]{6}$/;

const named = { name: z.string(), category: z.string().optional() };
const change = z.discriminatedUnion("action", [
  z.object({ action: z.literal("create"), ...named, content: z.string() }),
  z.object({ action: z.literal("edit"), ...named, content: z.string() }),
  z.object({
    action: z.literal("patch"),
    ...named,
    file_path: z.string().optional(),
    old_string: z.string(),
    new_string: z.string(),
    replace_all: z.boolean().optional(),
  }),
  z.object({ action: z.literal("write_file"), ...named, file_path: z.string(), file_content: z.string() }),
  z.object({ action: z.literal("remove_file"), ...named, file_path: z.string() }),
  z.object({ action: z.literal("delete"), ...named, absorbed_into: z.string().optional() }),
  z.object({ action: z.literal("archive"), ...named, absorbed_into: z.string().optional() }),
  z.object({ action: z.literal("restore"), name: z.string() }),
]);

const finding = z.object({
  rule: z.string(),
  severity: z.string(),
  file: z.string(),
  line: z.int(),
  text: z.string(),
});

const waiting = z.object({
  id: z.string(),
  name: z.string(),
  summary: z.string(),
  by: writtenBy,
  at: z.number(),
  diff: z.string(),
  findings: z.array(finding),
  verdict: z.enum(["safe", "caution", "dangerous"]).optional(),
  changes: z.array(change),
  files: z.array(fileChange),
  moves: z.array(dirMove),
});

/** A change that waits, with what it was planned on. */
export type WaitingWrite = z.output<typeof waiting>;

export interface PendingStore {
  /** Oldest first. */
  all(): readonly WaitingWrite[];
  /** @throws E_NOT_FOUND with the ids that wait */
  read(id: string): WaitingWrite;
  /** @throws E_BUSY when too many wait */
  write(value: Omit<WaitingWrite, "changes"> & { readonly changes: readonly SkillEdit[] }): void;
  remove(id: string): void;
}

/** @param root real path of `skills/` */
export function createPending(root: string): PendingStore {
  const dir = join(root, ".pending");
  const fileOf = (id: string) => join(dir, `${id}.json`);
  const load = (id: string) => {
    const text = readRegularFileSync(fileOf(id), FILE_MAX)?.toString("utf8");
    return text === undefined ? undefined : waiting.safeParse(jsonOf(text)).data;
  };
  const ids = () =>
    listNames(dir)
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.slice(0, -".json".length))
      .filter((id) => ID.test(id));
  return {
    all: () =>
      ids()
        .flatMap((id) => load(id) ?? [])
        .toSorted((a, b) => a.at - b.at),
    read: (id) => {
      const found = ID.test(id) ? load(id) : undefined;
      if (found !== undefined) return found;
      const others = ids();
      throw new AppError("E_NOT_FOUND", `no pending change ${JSON.stringify(id.slice(0, 80))}`, {
        hint: others.length === 0 ? "no changes of skills are pending" : `pending: ${others.slice(0, 20).join(", ")}`,
      });
    },
    write: (value) => {
      if (ids().length >= PENDING_MAX)
        throw new AppError("E_BUSY", `${PENDING_MAX} changes of skills await approval already`, {
          hint: "/skills pending lists them; approve or reject some",
        });
      replaceTextFile(fileOf(value.id), `${JSON.stringify({ ...value, files: storedFiles(value.files) })}\n`, 0o600);
    },
    remove: (id) => removeFileSync(fileOf(id)),
  };
}

export function shownPending({ id, name, summary, by, at, diff, findings, verdict }: WaitingWrite): PendingWrite {
  return { id, name, summary, by, at, diff, findings, ...(verdict === undefined ? {} : { verdict }) };
}
