import type { DirMove, FileChange, FileState } from "../../contracts/skills/writes.js";
import { isBinary } from "../../tools/run/codec.js";

/** Beyond this a comparison by lines takes too long to be worth it. */
const CHARS_MAX = 2_000_000;

/** The whole difference in unified form; of bytes that are not text, only their size. */
export async function diffOf(files: readonly FileChange[], moves: readonly DirMove[]): Promise<string> {
  const parts: string[] = [];
  for (const file of files) parts.push(await compare(file));
  for (const { from, to } of moves) parts.push(`rename from ${from}\nrename to ${to}`);
  return parts.filter((part) => part !== "").join("\n");
}

async function compare({ path, before, after }: FileChange): Promise<string> {
  const from = before === null ? "/dev/null" : `a/${path}`;
  const to = after === null ? "/dev/null" : `b/${path}`;
  const head = `--- ${from}\n+++ ${to}`;
  const old = textOf(path, before);
  const next = textOf(path, after);
  if (old === undefined || next === undefined)
    return `${head}\n(binary: ${before?.bytes.length ?? 0} bytes replaced by ${after?.bytes.length ?? 0})`;
  if (old === next) return modeLines(head, before, after);
  if (old.length + next.length > CHARS_MAX) return `${head}\n(too large to compare)`;
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(from, to, old, next, undefined, undefined, { context: 3, timeout: 1_000 });
  if (patch === undefined) return `${head}\n(too different to compare in time)`;
  const lines = patch.replace(/\n$/, "").split("\n");
  return (lines[0]?.startsWith("=====") ? lines.slice(1) : lines).join("\n");
}

function modeLines(head: string, before: FileState | null, after: FileState | null): string {
  if (before === null || after === null) return head; // an empty file comes or goes
  if (before.mode === after.mode) return "";
  return `${head}\nold mode ${before.mode.toString(8)}\nnew mode ${after.mode.toString(8)}`;
}

function textOf(path: string, state: FileState | null): string | undefined {
  if (state === null) return "";
  const bytes = Buffer.from(state.bytes);
  return isBinary(path, bytes) ? undefined : bytes.toString("utf8");
}
