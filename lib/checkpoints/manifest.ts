import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";

/** What a checkpoint knows of one path. Paths are relative, with `/`. */
export type ManifestEntry = FileEntry | LinkEntry | DirectoryEntry | SkippedEntry | AbsentEntry;

export interface FileEntry {
  readonly kind: "file";
  readonly mode: number;
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  /** 0: the file was changed while it was looked at, so the facts prove nothing. */
  readonly inode: number;
  /** SHA-256 of the content, hex. */
  readonly hash: string;
  /** A file tool named it: later checkpoints keep it too, whatever rules leave out. */
  readonly named?: true;
}

export interface LinkEntry {
  readonly kind: "link";
  readonly target: string;
  readonly named?: true;
}

export interface DirectoryEntry {
  readonly kind: "directory";
  readonly mode: number;
}

/** Something that is there and not kept; a rollback does not touch it. */
export interface SkippedEntry {
  readonly kind: "skipped";
  readonly why: string;
  readonly size: number;
  readonly named?: true;
}

/** A file tool named the path and nothing was there. */
export interface AbsentEntry {
  readonly kind: "absent";
  readonly named: true;
}

export type Manifest = ReadonlyMap<string, ManifestEntry>;

/** What two entries have in common when nothing has to be done: kind and content, without mode and times. */
export function contentOf(entry: ManifestEntry | undefined): string {
  if (entry === undefined || entry.kind === "absent") return "absent";
  if (entry.kind === "file") return entry.hash;
  return entry.kind === "link" ? `link:${entry.target}` : entry.kind;
}

const modeOf = (entry: ManifestEntry | undefined): number =>
  entry?.kind === "file" || entry?.kind === "directory" ? entry.mode : 0;

/** What was left at a path, with the mode: a change of the mode alone is a change as well. */
export function leftAs(entry: ManifestEntry | undefined): string {
  const content = contentOf(entry);
  return entry?.kind === "file" || entry?.kind === "directory" ? `${content}:${entry.mode.toString(8)}` : content;
}

/** Both stand for the same content and mode. */
export function sameState(a: ManifestEntry | undefined, b: ManifestEntry | undefined): boolean {
  if (a === b) return true;
  if (a?.kind === "skipped" && b?.kind === "skipped") return a.size === b.size && a.why === b.why;
  return contentOf(a) === contentOf(b) && modeOf(a) === modeOf(b);
}

/** Paths whose state differs. Paths that only one of them was asked about (named) count as their state, not as made or removed. */
export function changedPaths(a: Manifest, b: Manifest): readonly string[] {
  const changed: string[] = [];
  for (const [path, entry] of a) if (!sameState(entry, b.get(path))) changed.push(path);
  for (const [path, entry] of b) if (!a.has(path) && !sameState(undefined, entry)) changed.push(path);
  return changed;
}

export const namedPaths = (manifest: Manifest): readonly string[] =>
  [...manifest].filter(([, entry]) => entry.kind !== "directory" && entry.named === true).map(([path]) => path);

export function countFiles(manifest: Manifest): number {
  let files = 0;
  for (const entry of manifest.values()) if (entry.kind === "file" || entry.kind === "link") files += 1;
  return files;
}

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

type Row = readonly (string | number)[];

/** As bytes: compressed JSON rows, one for each path. */
export async function encodeManifest(manifest: Manifest): Promise<Buffer> {
  const rows = [...manifest].map(([path, entry]) => JSON.stringify(toRow(path, entry)));
  return deflate(Buffer.from(rows.join("\n")), { level: 1 });
}

/** @throws when the bytes are not a manifest */
export async function decodeManifest(bytes: Buffer): Promise<Manifest> {
  const text = (await inflate(bytes)).toString("utf8");
  const manifest = new Map<string, ManifestEntry>();
  if (text === "") return manifest;
  const rows = JSON.parse(`[${text.replaceAll("\n", ",")}]`) as unknown[]; // rows are JSON without line breaks, as they were written
  for (const row of rows) {
    const [path, entry] = fromRow(row);
    manifest.set(path, entry);
  }
  return manifest;
}

function toRow(path: string, entry: ManifestEntry): Row {
  const named = "named" in entry && entry.named === true ? 1 : 0;
  switch (entry.kind) {
    case "file":
      return [path, "f", named, entry.mode, entry.size, entry.mtime, entry.ctime, entry.inode, entry.hash];
    case "link":
      return [path, "l", named, entry.target];
    case "directory":
      return [path, "d", named, entry.mode];
    case "skipped":
      return [path, "s", named, entry.size, entry.why];
    case "absent":
      return [path, "a", named];
  }
}

function fromRow(row: unknown): readonly [string, ManifestEntry] {
  if (!Array.isArray(row) || typeof row[0] !== "string") throw new Error("a row of a checkpoint has no path");
  const [path, kind, isNamed, ...rest] = row;
  const named = isNamed === 1 ? ({ named: true } as const) : {};
  const number = (at: number): number => {
    const value: unknown = rest[at];
    if (typeof value !== "number") throw new Error(`a row of a checkpoint is damaged: ${path}`);
    return value;
  };
  switch (kind) {
    case "f":
      return [
        path,
        {
          kind: "file",
          mode: number(0),
          size: number(1),
          mtime: number(2),
          ctime: number(3),
          inode: number(4),
          hash: String(rest[5]),
          ...named,
        },
      ];
    case "l":
      return [path, { kind: "link", target: String(rest[0]), ...named }];
    case "d":
      return [path, { kind: "directory", mode: number(0) }];
    case "s":
      return [path, { kind: "skipped", size: number(0), why: String(rest[1]), ...named }];
    case "a":
      return [path, { kind: "absent", named: true }];
    default:
      throw new Error(`a row of a checkpoint is of an unknown kind: ${path}`);
  }
}
