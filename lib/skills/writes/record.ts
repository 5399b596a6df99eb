import { isUtf8 } from "node:buffer";
import * as z from "zod";
import type { SessionId } from "../../base/units.js";
import type { DirMove, FileChange, FileState, SkillVersion, WrittenBy } from "../../contracts/skills/writes.js";

/** How changes are written to disk: as JSON, with text as text and other bytes in base64. */

const state = z
  .union([
    z
      .object({ text: z.string(), mode: z.int() })
      .transform(({ text, mode }): FileState => ({ bytes: Buffer.from(text), mode })),
    z
      .object({ base64: z.string(), mode: z.int() })
      .transform(({ base64, mode }): FileState => ({ bytes: Buffer.from(base64, "base64"), mode })),
  ])
  .nullable();

export const fileChange = z.object({ path: z.string(), before: state, after: state });
export const dirMove = z.object({ from: z.string(), to: z.string(), stamp: z.string() });

export const writtenBy = z
  .object({
    who: z.enum(["agent", "curator", "user"]),
    session: z.string().optional(),
    note: z.string().optional(),
  })
  .transform(({ who, session, note }): WrittenBy => {
    return {
      who,
      ...(session === undefined ? {} : { session: session as SessionId }), // it was one when it was written
      ...(note === undefined ? {} : { note }),
    };
  });

const use = z
  .object({
    created_by: z.enum(["agent", "user", "hub"]),
    created_at: z.number().nullable(),
    uses: z.int(),
    views: z.int(),
    patches: z.int(),
    last_activity_at: z.number().nullable(),
    state: z.enum(["active", "stale", "archived"]),
    pinned: z.boolean(),
  })
  .nullable();

/** Record of use of a skill that the change makes, ends or gives another state. `null`: no record. */
const useChange = z.object({ name: z.string(), before: use, after: use });
export type UseChange = z.output<typeof useChange>;

const record = z.object({
  number: z.int(),
  name: z.string(),
  names: z.array(z.string()),
  summary: z.string(),
  by: writtenBy,
  at: z.number(),
  undoes: z.string().optional(),
  /** Id of the waiting change that it carries out. */
  pending: z.string().optional(),
  diff: z.string(),
  uses: z.array(useChange),
  /** Skills whose files were changed. */
  patched: z.array(z.string()),
  files: z.array(fileChange),
  moves: z.array(dirMove),
});

/** A change with all that it takes to make it again and to undo it. */
export interface VersionRecord extends Omit<SkillVersion, "id" | "files"> {
  readonly pending?: string;
  readonly diff: string;
  readonly uses: readonly UseChange[];
  readonly patched: readonly string[];
  readonly files: readonly FileChange[];
  readonly moves: readonly DirMove[];
}

const stored = (value: FileState | null) => {
  if (value === null) return null;
  const bytes = Buffer.from(value.bytes);
  return isUtf8(bytes)
    ? { text: bytes.toString("utf8"), mode: value.mode }
    : { base64: bytes.toString("base64"), mode: value.mode };
};

export const storedFiles = (files: readonly FileChange[]) =>
  files.map(({ path, before, after }) => ({ path, before: stored(before), after: stored(after) }));

/** Two lines: what lists show, and the whole. */
export const recordText = (value: VersionRecord): string =>
  `${JSON.stringify(versionOf(value))}\n${JSON.stringify({ ...value, files: storedFiles(value.files) })}\n`;

export const idOf = ({ name, number }: Pick<SkillVersion, "name" | "number">): string => `${name}@${number}`;

function versionOf({ files, number, name, names, summary, by, at, undoes }: VersionRecord): SkillVersion {
  const id = idOf({ name, number });
  return {
    id,
    name,
    number,
    names,
    summary,
    by,
    at,
    files: files.map(({ path }) => path),
    ...(undoes === undefined ? {} : { undoes }),
  };
}

const head = z.object({
  id: z.string(),
  name: z.string(),
  number: z.int(),
  names: z.array(z.string()),
  summary: z.string(),
  by: writtenBy,
  at: z.number(),
  files: z.array(z.string()),
  undoes: z.string().optional(),
});

/** What the first line of a record says. Undefined: it is damaged. */
export function readHeadLine(text: string): SkillVersion | undefined {
  try {
    const { undoes, ...read } = head.parse(JSON.parse(text.split("\n", 1)[0] ?? ""));
    return { ...read, ...(undoes === undefined ? {} : { undoes }) };
  } catch {
    return undefined; // ok to lose: what cannot be read cannot be undone either
  }
}

/** Undefined: it is not one. */
export function readVersionRecord(text: string): VersionRecord | undefined {
  try {
    const { undoes, pending, ...read } = record.parse(JSON.parse(text.slice(text.indexOf("\n") + 1)));
    return {
      ...read,
      ...(undoes === undefined ? {} : { undoes }),
      ...(pending === undefined ? {} : { pending }),
    };
  } catch {
    return undefined; // damaged: its reader reports it
  }
}

export const sameBytes = (a: FileState | null, b: FileState | null): boolean =>
  a === null || b === null ? a === b : Buffer.from(a.bytes).equals(Buffer.from(b.bytes));
