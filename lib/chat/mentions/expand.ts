import { AppError, toAppError } from "../../base/errors.js";
import type { ContextNotice } from "../../tools/run/read.js";
import { toTokens } from "../tokens/estimate.js";
import type { Mention, MentionBlock, MentionPlace } from "./define.js";
import { findMentionEntry, mentionsIn } from "./find.js";

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

/** What a user mentions, as labelled blocks behind the text. What cannot be read, or is too much, is named there and stays a word. */
export async function expandMentions(
  text: string,
  { window, ...place }: MentionPlace & { /** Tokens of the model. */ readonly window: number },
): Promise<Expanded> {
  const mentions = mentionsIn(text);
  if (mentions.length === 0) return { text, notices: [] };
  const blocks: MentionBlock[] = [];
  const room = { chars: MOST_CHARS };
  for (const mention of mentions.slice(0, MOST_MENTIONS)) blocks.push(await oneOf(mention, { ...place, room }));
  const { kept, notice } = budgeted(blocks, window);
  for (const one of kept) if ("text" in one) one.taken?.();
  const rest = restOf(mentions.length - MOST_MENTIONS);
  const parts = [
    ...kept.map((one) => ("text" in one ? withGaps(one) : `[${one.mention.whole} is not included: ${one.why}]`)),
    ...rest.map((one) => `[${one}]`),
  ];
  const missing = [...kept.flatMap(gapsOf), ...rest];
  const left: ContextNotice[] =
    missing.length === 0 ? [] : [{ level: "warning", text: `not included in the message: ${missing.join("; ")}` }];
  return { text: [text, ...parts].join("\n\n"), notices: [...(notice === undefined ? [] : [notice]), ...left] };
}

const gapsOf = (one: MentionBlock): readonly string[] => {
  const gap = "why" in one ? one.why : one.without;
  return gap === undefined ? [] : [`${one.mention.whole}: ${gap}`];
};

const withGaps = ({ mention, text, without }: Extract<MentionBlock, { text: string }>): string =>
  without === undefined ? text : `[${mention.whole} is included without ${without}]\n\n${text}`;

/** One line for all that are too many: a pasted text may hold thousands. */
const restOf = (count: number): readonly string[] =>
  count > 0 ? [`${count} more are not included (limit ${MOST_MENTIONS} mentions per message)`] : [];

interface Reading extends MentionPlace {
  /** Characters that may still come. */
  readonly room: { chars: number };
}

async function oneOf(mention: Mention, { room, ...place }: Reading): Promise<MentionBlock> {
  const block = await blockOf(mention, place).catch((error: unknown): MentionBlock => {
    if (place.ctx.signal.aborted) throw error;
    const { message, hint } = toAppError(error);
    return { mention, why: error instanceof AppError ? `${message}; ${hint}` : message };
  });
  if (!("text" in block)) return block;
  if (block.text.length > room.chars)
    return { mention, why: `it has ${block.text.length} characters (limit ${MOST_CHARS} per message)` };
  room.chars -= block.text.length;
  return block;
}

async function blockOf(mention: Mention, place: MentionPlace): Promise<MentionBlock> {
  const made = await (await findMentionEntry(mention)?.load())?.make(mention, place);
  return { mention, ...(made ?? { why: "it cannot be mentioned" }) };
}

function budgeted(
  blocks: readonly MentionBlock[],
  window: number,
): { kept: readonly MentionBlock[]; notice?: ContextNotice } {
  const tokens = toTokens(blocks.reduce((sum, one) => sum + ("text" in one ? one.text.length : 0), 0));
  if (tokens <= window * WARN_SHARE) return { kept: blocks };
  const share = `about ${tokens} tokens, ${Math.round((tokens / window) * 100)} % of the window of ${window}`;
  if (tokens <= window * MOST_SHARE)
    return { kept: blocks, notice: { level: "warning", text: `the mentions of the message take ${share}` } };
  const why = `mentions take ${share}; the limit is half of it`;
  return { kept: blocks.map(({ mention, ...one }) => ("why" in one ? { mention, why: one.why } : { mention, why })) };
}
