import type { LineMap } from "./findings.js";

/** Longest middle part, in lines of both texts together, that is compared line by line; a larger one counts as replaced. */
const COMPARED_LINES = 20_000;
const WITHIN_MS = 500;

/** Where the lines of one text stand in another. */
export async function lineMap(before: string, after: string): Promise<LineMap> {
  if (before === after) return (line) => line;
  const old = before.split("\n");
  const made = after.split("\n");
  const head = commonHead(old, made);
  const tail = commonTail(old, made, head);
  const inner = await mapMiddle(old.slice(head, old.length - tail), made.slice(head, made.length - tail));
  const moved = made.length - old.length;
  return (line) => {
    if (line < head) return line;
    if (line >= old.length - tail) return line + moved;
    const found = inner.get(line - head);
    return found === undefined ? undefined : found + head;
  };
}

function commonHead(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count += 1;
  return count;
}

function commonTail(a: readonly string[], b: readonly string[], head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}

async function mapMiddle(old: readonly string[], made: readonly string[]): Promise<ReadonlyMap<number, number>> {
  const map = new Map<number, number>();
  if (old.length === 0 || made.length === 0 || old.length + made.length > COMPARED_LINES) return map;
  const { diffArrays } = await import("diff");
  const parts = diffArrays([...old], [...made], { timeout: WITHIN_MS }) ?? [];
  let from = 0;
  let to = 0;
  for (const part of parts) {
    const count = part.value.length;
    if (!part.added && !part.removed) for (let at = 0; at < count; at++) map.set(from + at, to + at);
    if (!part.added) from += count;
    if (!part.removed) to += count;
  }
  return map;
}
