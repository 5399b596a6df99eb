import { join } from "node:path";
import { diffArrays } from "diff";
import { readProjectFile } from "../base/fs/tree-read.js";
import type { ChangeCounts } from "../contracts/owner/checkpoints.js";
import { difference } from "../tools/file/difference.js";
import { changedPaths, type Manifest, type ManifestEntry } from "./manifest.js";
import type { CheckpointParts } from "./parts.js";
import type { RestoreStep } from "./plan.js";

/** Larger texts are not compared by line. */
const TEXT_BYTES = 1 << 20;
/** Files of one step whose lines are counted. */
const COUNTED = 200;
const COMPARE_MS = 200;

/** Unified difference from the present to the checkpoint, of texts and links. */
export async function textsDiffer(
  parts: CheckpointParts,
  directory: string,
  { path, now, was }: RestoreStep,
): Promise<string> {
  if (now?.kind === "directory" || was?.kind === "directory") return "";
  const before =
    now?.kind === "file" ? textOf(readProjectFile(join(directory, path), TEXT_BYTES)?.bytes) : linkText(now);
  const after = await keptText(parts, was);
  return before === undefined || after === undefined ? "" : difference(path, before, after);
}

const linkText = (entry: ManifestEntry | undefined): string => (entry?.kind === "link" ? `${entry.target}\n` : "");

async function keptText(parts: CheckpointParts, entry: ManifestEntry | undefined): Promise<string | undefined> {
  if (entry?.kind !== "file") return linkText(entry);
  if (entry.size > TEXT_BYTES) return undefined;
  try {
    return textOf(await parts.store.contents.read(entry.hash));
  } catch (error) {
    parts.deps.log.warning("failed to read stored content", { error: String(error) });
    return undefined;
  }
}

function textOf(bytes: Buffer | undefined): string | undefined {
  return bytes === undefined || bytes.subarray(0, 8192).includes(0) ? undefined : bytes.toString("utf8");
}

/** How to get the text of a path in the later state. */
export type LaterText = (path: string, entry: ManifestEntry | undefined) => Promise<string | undefined>;

/** What changed from one state to the next. */
export async function countChanges(
  parts: CheckpointParts,
  from: Manifest,
  to: Manifest,
  laterText?: LaterText,
): Promise<ChangeCounts> {
  const paths = changedPaths(from, to).filter(
    (path) => from.get(path)?.kind !== "directory" && to.get(path)?.kind !== "directory",
  );
  const counts = { files: paths.length, added: 0, removed: 0 };
  for (const path of paths.slice(0, COUNTED)) {
    const before = await keptText(parts, from.get(path));
    const after = await (laterText ?? ((_path, entry) => keptText(parts, entry)))(path, to.get(path));
    if (before === undefined || after === undefined || before === after) continue;
    const lines = countLines(before, after);
    counts.added += lines.added;
    counts.removed += lines.removed;
  }
  return counts;
}

/** The text of a file as it is now. */
export const presentText =
  (directory: string): LaterText =>
  async (path, entry) =>
    entry?.kind === "file" ? textOf(readProjectFile(join(directory, path), TEXT_BYTES)?.bytes) : linkText(entry);

function countLines(before: string, after: string): { added: number; removed: number } {
  const old = linesOf(before);
  const young = linesOf(after);
  const parts = diffArrays(old, young, { timeout: COMPARE_MS });
  if (parts === undefined) return { added: young.length, removed: old.length };
  const sum = (which: "added" | "removed") =>
    parts.filter((part) => part[which]).reduce((all, part) => all + part.count, 0);
  return { added: sum("added"), removed: sum("removed") };
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
