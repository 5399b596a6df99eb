/** Sizes of what is sent to a model before the first message (core part, 7.1). */
export interface PromptPart {
  readonly name: string;
  readonly chars: number;
  readonly bytes: number;
  /** Rough: four characters are one. */
  readonly tokens: number;
}

export interface PromptSize {
  readonly model: string;
  readonly provider: string;
  /** Blocks of the system prompt in their order, each with the tier that it belongs to. */
  readonly blocks: readonly (PromptPart & { readonly tier: "stable" | "context" | "volatile" })[];
  /** Schemas of the tools that a session offers, as they are sent. */
  readonly tools: readonly PromptPart[];
  readonly system: PromptPart;
  readonly schemas: PromptPart;
  readonly total: PromptPart;
  /** What was left out, cut or marked of the project's files. */
  readonly notices: readonly string[];
}
