/** A part of a turn: text, a call, a result. */
export type Block = Readonly<Record<string, unknown>>;

/** What one side says before the other does. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

const MARK = { cache_control: { type: "ephemeral" } } as const;
/** With the system prompt four, as many as the protocol takes. */
const TURNS = 3;

export interface Prompt {
  readonly system: string;
  readonly turns: readonly Turn[];
}

/** Marks what the provider is to keep: the system prompt and the newest turns (core part, 7.5). */
export function markCache(
  { system, turns }: Prompt,
  on: boolean,
): { readonly system: string | readonly Block[]; readonly turns: readonly Turn[] } {
  if (!on) return { system, turns };
  const from = turns.length - TURNS;
  return {
    system: [{ type: "text", text: system, ...MARK }],
    turns: turns.map((turn, at) => (at < from ? turn : { ...turn, content: markLast(turn.content) })),
  };
}

const markLast = (blocks: readonly Block[]): readonly Block[] =>
  blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...MARK } : block));
