import { join } from "node:path";
import { errorCode, makeDirectory, writeAtomic } from "../base/files.js";
import { headLines } from "../safety/text.js";

const PREVIEW_CHARS = 1_500;

/** Where results too large for the conversation go, and how much of one response has been used (core part, 23). */
export interface Spill {
  readonly dir: string;
  /** Characters of the whole batch, `batchChars` at most. */
  used: number;
}

/** Source of both numbers: core part, 23. */
export const RESULT_CHARS = 100_000;
export const BATCH_CHARS = 200_000;

export function createSpill(dir: string): Spill {
  return { dir, used: 0 };
}

/** The text as it goes into the conversation: whole, or the beginning with the path of the whole. `text` is redacted already. */
export async function fitResult(spill: Spill, callId: string, text: string, max: number): Promise<string> {
  const room = Math.min(max, Math.max(PREVIEW_CHARS * 2, BATCH_CHARS - spill.used));
  const fitted = text.length <= room ? text : await persist(spill.dir, callId, text);
  spill.used += fitted.length;
  return fitted;
}

async function persist(dir: string, callId: string, text: string): Promise<string> {
  const path = join(dir, `${callId.replace(/[^\w.-]/g, "_").slice(0, 120)}.txt`);
  const preview = headLines(text, PREVIEW_CHARS);
  try {
    await makeDirectory(dir, 0o700);
    await writeAtomic(path, text, 0o600, false);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return `${preview}\n[Truncated: tool response was ${text.length} chars. Full output could not be saved.]`;
  }
  return [
    "<persisted-output>",
    `This tool result was too large (${text.length} characters, ${Math.ceil(Buffer.byteLength(text) / 1024)} KB).`,
    `Full output saved to: ${path}`,
    "Use read_file with offset and limit, or search_files, to look at parts of it.",
    "",
    `Preview (first ${PREVIEW_CHARS} chars):`,
    preview,
    "</persisted-output>",
  ].join("\n");
}
