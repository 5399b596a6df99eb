import { join } from "node:path";
import { readProjectFile } from "../base/fs/tree-read.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import type { PartialReason } from "../contracts/owner/checkpoints.js";
import { type Contents, hashOf, type PackWriter } from "./contents.js";
import type { Manifest, ManifestEntry } from "./manifest.js";
import { type Scan, type ScanOptions, scan, toEntry } from "./scan.js";

const SLICE_MS: Ms = 8;

export interface Captured {
  readonly manifest: Manifest;
  readonly partial?: PartialReason;
}

export interface CaptureOptions extends ScanOptions {
  /** More new bytes than this are not kept: only what is named is. */
  readonly maxNewBytes: number;
}

/** The state of a directory now, with the contents of what is new in `contents`. @throws what the disk refuses; nothing of it stays then */
export async function captureContents(options: CaptureOptions, contents: Contents): Promise<Captured> {
  const seen = await fitting(options);
  const pack = contents.begin();
  try {
    const manifest = await readAll(options, seen, pack);
    await pack.finish();
    return { manifest, ...partialOf(seen) };
  } finally {
    pack.drop();
  }
}

/** The same, and no content is kept: for looking. */
export async function capture(options: CaptureOptions): Promise<Captured> {
  const seen = await fitting(options);
  return { manifest: await readAll(options, seen), ...partialOf(seen) };
}

const partialOf = ({ partial }: { readonly partial?: PartialReason }) => (partial === undefined ? {} : { partial });

async function fitting(options: CaptureOptions): Promise<Omit<Scan, "partial"> & { readonly partial?: PartialReason }> {
  const whole = await scan(options);
  if (whole.bytes <= options.maxNewBytes) return whole;
  const named = await scan({ ...options, tooLarge: "entries" });
  return { ...named, partial: "size" };
}

async function readAll(
  options: CaptureOptions,
  seen: Pick<Scan, "entries" | "unread" | "began">,
  pack?: PackWriter,
): Promise<Manifest> {
  const { clock, root, signal, maxFileBytes } = options;
  const named = new Set(options.named);
  let slice = clock.mono() + SLICE_MS;
  for (const path of seen.unread.keys()) {
    const entry = await readOne(
      { path, at: join(root, path), named: named.has(path), began: seen.began },
      maxFileBytes,
      pack,
    );
    seen.entries.set(path, entry);
    if (clock.mono() < slice) continue;
    if (signal?.aborted) throw signal.reason;
    await pause(clock);
    slice = clock.mono() + SLICE_MS;
  }
  return seen.entries;
}

const pause = (clock: Clock): Promise<void> => clock.sleep(0);

interface Unread {
  readonly path: string;
  readonly at: string;
  readonly named: boolean;
  readonly began: number;
}

async function readOne(
  { at, named, began }: Unread,
  maxBytes: number,
  pack: PackWriter | undefined,
): Promise<ManifestEntry> {
  const read = readProjectFile(at, maxBytes);
  if (read === undefined) return { kind: "skipped", why: "cannot be read", size: 0, ...(named ? { named: true } : {}) };
  const hash = hashOf(read.bytes);
  await pack?.add(hash, read.bytes);
  return toEntry(read.seen, hash, began, named);
}
