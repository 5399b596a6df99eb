import { toAppError } from "../../base/errors.js";
import type { ContextNotice } from "../../tools/context/read.js";
import type { ToolContext } from "../../tools/define.js";
import { tokensOf } from "../estimate.js";
import { type Block, blockOf } from "./blocks.js";
import { type Mention, mentionsIn } from "./find.js";

/** Core part, 14.4: shares of the window that what is mentioned may take, and what a message of any model holds. */
const WARN_SHARE = 0.25;
const MOST_SHARE = 0.5;
const MOST_CHARS = 1 << 20;
const MOST_MENTIONS = 32;

/** A text with what it mentions behind it. */
export interface Expanded {
  readonly text: string;
  readonly notices: readonly ContextNotice[];
}

/** Files and folders that a user mentions, as labelled blocks behind the text. What cannot be read, or is too much, is named there and stays a word. */
export async function expandMentions(
  text: string,
  { ctx, window }: { readonly ctx: ToolContext; readonly window: number },
): Promise<Expanded> {
  const mentions = mentionsIn(text);
  if (mentions.length === 0) return { text, notices: [] };
  const blocks: Block[] = [];
  const room = { chars: MOST_CHARS };
  for (const mention of mentions.slice(0, MOST_MENTIONS)) blocks.push(await oneOf(mention, { ctx, room }));
  const { kept, notice } = budgeted(blocks, window);
  for (const one of kept) if ("text" in one) one.taken();
  const rest = restOf(mentions.length - MOST_MENTIONS);
  const parts = [
    ...kept.map((one) => ("text" in one ? one.text : `[${one.mention.whole} is not included: ${one.why}]`)),
    ...rest.map((one) => `[${one}]`),
  ];
  const missing = [...kept.flatMap((one) => ("why" in one ? [`${one.mention.whole}: ${one.why}`] : [])), ...rest];
  const left: ContextNotice[] = missing.length === 0 ? [] : [{ level: "warning", text: `not put into the message: ${missing.join("; ")}` }];
  return { text: [text, ...parts].join("\n\n"), notices: [...(notice === undefined ? [] : [notice]), ...left] };
}

/** One line for all that are too many: a text that somebody pastes may hold thousands. */
const restOf = (count: number): readonly string[] =>
  count > 0 ? [`${count} more are not included: a message takes ${MOST_MENTIONS} files and folders at most`] : [];

interface Reading {
  readonly ctx: ToolContext;
  /** Characters that may still come. */
  readonly room: { chars: number };
}

async function oneOf(mention: Mention, { ctx, room }: Reading): Promise<Block> {
  const block = await blockOf(mention, ctx).catch((error: unknown): Block => {
    if (ctx.signal.aborted) throw error;
    return { mention, why: toAppError(error).message };
  });
  if (!("text" in block)) return block;
  if (block.text.length > room.chars)
    return { mention, why: `it has ${block.text.length} characters; a message takes ${MOST_CHARS} in all` };
  room.chars -= block.text.length;
  return block;
}

function budgeted(blocks: readonly Block[], window: number): { kept: readonly Block[]; notice?: ContextNotice } {
  const tokens = tokensOf(blocks.reduce((sum, one) => sum + ("text" in one ? one.text.length : 0), 0));
  if (tokens <= window * WARN_SHARE) return { kept: blocks };
  const share = `about ${tokens} tokens, ${Math.round((tokens / window) * 100)} % of the window of ${window}`;
  if (tokens <= window * MOST_SHARE)
    return { kept: blocks, notice: { level: "warning", text: `what the message mentions takes ${share}` } };
  const why = `what is mentioned takes ${share}; half of it is the limit`;
  return { kept: blocks.map(({ mention, ...one }) => ("why" in one ? { mention, why: one.why } : { mention, why })) };
}
