import { join } from "node:path";
import type * as z from "zod";
import { readGzip } from "../../base/fs/gzip-file.js";
import { linesOf, type Spool, spool } from "../../base/fs/spool.js";
import { LIMITS } from "../../base/limits.js";
import { badArchive } from "../../safety/archive/tar-name.js";
import { readTar } from "../../safety/archive/tar-read.js";

/** A member that was taken out of an archive. */
export interface Member {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export interface AttachmentBounds {
  readonly attachment: number;
  readonly attachments: number;
}

const ROWS = /^(tasks|links|comments|events|runs|attachments)\.jsonl$/;
const FILE = /^attachments\/([1-9]\d{0,15})\/([^/]+)$/;
const LOG = /^logs\/t_[0-9a-f]{8}\.log(\.\d{1,3})?$/;
/** A member of settings; a log of one task. */
const SMALL_BYTES = 1 << 20;
const LOG_BYTES = 64 << 20;

/** Take a board's archive apart into files of `dir` with names of ours. A member that no board archive has refuses it at once. */
export async function unpack(
  path: string,
  dir: string,
  bounds: AttachmentBounds,
): Promise<ReadonlyMap<string, Member>> {
  const members = new Map<string, Member>();
  let attached = 0;
  const most = { members: LIMITS.archiveMembers, bytes: bounds.attachments + LIMITS.archiveRowBytes };
  let open: Spool | undefined;
  const taking = readTar(readGzip(path), most, async (name, size) => {
    if (size > limitOf(name, bounds)) throw badArchive(`a member of ${size} bytes exceeds the limit:`, name);
    if (FILE.test(name)) attached += size;
    if (attached > bounds.attachments) throw badArchive(`its attachments exceed ${bounds.attachments} bytes`);
    const file = await spool(join(dir, `member-${members.size}`));
    open = file;
    return {
      write: (bytes) => file.write(bytes),
      end: async () => {
        await file.end();
        open = undefined;
        members.set(name, { path: file.path, size, sha256: file.digest() });
      },
    };
  });
  try {
    await taking;
  } finally {
    await open?.end();
  }
  return members;
}

function limitOf(name: string, bounds: AttachmentBounds): number {
  if (name === "manifest.json" || name === "board.json") return SMALL_BYTES;
  if (ROWS.test(name)) return LIMITS.archiveRowBytes;
  if (FILE.test(name)) return bounds.attachment;
  if (LOG.test(name)) return LOG_BYTES;
  throw badArchive("an unexpected file:", name);
}

/** Members that hold attachments, by the id of their row. @throws E_INVALID two for one row */
export function attachmentMembers(
  members: ReadonlyMap<string, Member>,
): Map<number, { filename: string; member: Member; name: string }> {
  const found = new Map<number, { filename: string; member: Member; name: string }>();
  for (const [name, member] of members) {
    const [, id, filename] = FILE.exec(name) ?? [];
    if (id === undefined || filename === undefined) continue;
    if (found.has(Number(id))) throw badArchive("two files for one attachment:", name);
    found.set(Number(id), { filename, member, name });
  }
  return found;
}

export const logMembers = (members: ReadonlyMap<string, Member>): readonly [string, Member][] =>
  [...members].flatMap(([name, member]): [string, Member][] =>
    LOG.test(name) ? [[name.slice("logs/".length), member]] : [],
  );

/** Every line of a member, parsed. @throws E_INVALID naming the member and the line */
export async function* rowsOf<T extends z.ZodType>(
  members: ReadonlyMap<string, Member>,
  name: string,
  schema: T,
): AsyncGenerator<z.output<T>> {
  const member = members.get(name);
  if (member === undefined) throw badArchive("missing member:", name);
  let line = 0;
  try {
    for await (const text of linesOf(member.path, LIMITS.archiveLineBytes)) {
      line += 1;
      yield parse(text, schema, `${name}, line ${line}`);
    }
  } catch (error) {
    if (error instanceof RangeError) throw badArchive(`${error.message}:`, `${name}, line ${line + 1}`);
    throw error;
  }
}

/** The one object of a member. @throws E_INVALID */
export async function objectOf<T extends z.ZodType>(
  members: ReadonlyMap<string, Member>,
  name: string,
  schema: T,
): Promise<z.output<T>> {
  const member = members.get(name);
  if (member === undefined) throw badArchive("missing member:", name);
  const lines: string[] = [];
  try {
    for await (const text of linesOf(member.path, SMALL_BYTES)) lines.push(text);
  } catch (error) {
    if (error instanceof RangeError) throw badArchive(`${error.message}:`, name);
    throw error;
  }
  return parse(lines.join("\n"), schema, name);
}

function parse<T extends z.ZodType>(text: string, schema: T, where: string): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badArchive("no JSON:", where);
    throw error;
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badArchive(`${issue?.path.join(".") ?? ""} ${issue?.message ?? "malformed"}:`, where);
}
