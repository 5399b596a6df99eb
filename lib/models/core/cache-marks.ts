import type { ChatMessage } from "../../contracts/models/model.js";

/** A part of a turn: text, a call, a result. */
export type ContentBlock = Readonly<Record<string, unknown>>;

/** What one side says before the other does. */
export interface WireTurn {
  readonly role: "user" | "assistant";
  readonly content: readonly ContentBlock[];
}

/** How long the provider keeps what is marked; without it 5 minutes. */
export type CacheTtl = "5m" | "1h";

/** The mark as the provider reads it. */
export const cacheMark = (ttl: CacheTtl = "5m") => ({
  cache_control: { type: "ephemeral", ...(ttl === "1h" ? { ttl } : {}) },
});

/** With the system prompt four, as many as the protocol takes. */
const TURNS = 3;

export interface Prompt {
  readonly system: string;
  readonly turns: readonly WireTurn[];
}

/** Marks what the provider is to keep: the system prompt and the newest turns (core part, 7.5). */
export function markCache(
  { system, turns }: Prompt,
  on: boolean,
  ttl?: CacheTtl,
): { readonly system: string | readonly ContentBlock[]; readonly turns: readonly WireTurn[] } {
  if (!on) return { system, turns };
  const from = turns.length - TURNS;
  const mark = cacheMark(ttl);
  return {
    system: [{ type: "text", text: system, ...mark }],
    turns: turns.map((turn, at) => (at < from ? turn : { ...turn, content: markLast(turn.content, mark) })),
  };
}

const markLast = (blocks: readonly ContentBlock[], mark: ContentBlock): readonly ContentBlock[] =>
  blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...mark } : block));

/**
 * Which messages of the chat protocol carry a mark: the system prompt and the three newest others that hold text of their own. Results of tools and
 * bare calls have no content part that could carry one.
 */
export function markedAt(messages: readonly ChatMessage[]): ReadonlySet<number> {
  const system = messages.findIndex(({ role }) => role === "system");
  const others = messages.flatMap(({ role, content }, at) =>
    role === "user" || role === "assistant" ? (content === "" ? [] : [at]) : [],
  );
  return new Set([...(system === -1 ? [] : [system]), ...others.slice(-TURNS)]);
}

/** A message whose last content part carries the mark. */
export function markPart(message: ContentBlock, mark: ContentBlock): ContentBlock {
  const { content } = message;
  const parts: readonly ContentBlock[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  return { ...message, content: markLast(parts, mark) };
}
