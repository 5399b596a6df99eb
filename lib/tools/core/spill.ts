import { join } from "node:path";
import { errorCode, makeDirectory, writeAtomic } from "../../base/fs/files.js";
import { charCount, headLines, longerThan } from "../../safety/redact/text.js";
import { removeOldResults } from "./results.js";

const PREVIEW_CHARS = 1_500;

/** Where results too large for the conversation go (core part, 23). */
export interface Spill {
  readonly dir: string;
  /** Wall clock, for the age of what lies there. */
  now(): number;
}

/** Source of both numbers: core part, 23. */
export const RESULT_CHARS = 100_000;
const BATCH_CHARS = 200_000;

/** The text as it goes into the conversation: whole, or the beginning with the path of the whole. `text` is redacted already. */
export async function fitResult(spill: Spill, callId: string, text: string, max: number): Promise<string> {
  return longerThan(text, max) ? persist(spill, callId, text) : text;
}

/** Results of at least so many characters may have to leave a batch of `count`; shorter ones never do. */
export const shareOf = (count: number): number => Math.floor(BATCH_CHARS / Math.max(1, count));

interface Sized {
  readonly id: string;
  readonly content: string;
  /** It is not stored yet. */
  readonly movable: boolean;
}

/** Bring the results of one response under the limit of a batch: the largest go to files first. @returns their contents then, in order */
export async function fitBatch(spill: Spill, results: readonly Sized[]): Promise<readonly string[]> {
  const contents = results.map((one) => one.content);
  const sized = results.map(({ id, content, movable }, index) => ({ id, movable, index, chars: charCount(content) }));
  let total = sized.reduce((sum, one) => sum + one.chars, 0);
  for (const { id, index, chars } of sized.filter((one) => one.movable).toSorted((a, b) => b.chars - a.chars)) {
    if (total <= BATCH_CHARS) break;
    const shown = await persist(spill, id, contents[index] ?? "");
    contents[index] = shown;
    total += charCount(shown) - chars;
  }
  return contents;
}

/** Keep a whole text in a file of its own. Undefined: it cannot be written. */
export async function keepResult(spill: Spill, name: string, text: string): Promise<string | undefined> {
  const path = join(spill.dir, `${name.replace(/[^\w.-]/g, "_").slice(0, 120)}.txt`);
  try {
    await makeDirectory(spill.dir, 0o700);
    await writeAtomic(path, text, 0o600, false);
    removeOldResults(spill.dir, spill.now());
    return path;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

async function persist(spill: Spill, callId: string, text: string): Promise<string> {
  const path = await keepResult(spill, callId, text);
  const preview = headLines(text, PREVIEW_CHARS);
  const chars = charCount(text);
  if (path === undefined)
    return `${preview}\n[Truncated: tool response was ${chars} chars. Full output could not be saved.]`;
  return [
    "<persisted-output>",
    `This tool result was too large (${chars} characters, ${Math.ceil(Buffer.byteLength(text) / 1024)} KB).`,
    `Full output saved to: ${path}`,
    "Use read_file with offset and limit, or search_files, to look at parts of it.",
    "",
    `Preview (first ${PREVIEW_CHARS} chars):`,
    preview,
    "</persisted-output>",
  ].join("\n");
}
