import type { ChatMessage, ToolSchema } from "../../contracts/models/model.js";
import { RESULT_PICTURES } from "../../contracts/models/pictures.js";

/** Characters that make one token, roughly (core part, 8.1). */
const CHARS_PER_TOKEN = 4;

/** What a picture counts (core part, 8.1). */
export const PICTURE_TOKENS = 1500;

/** Rough number of tokens of so many characters. */
export const toTokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

/** Rough size of a request in tokens: texts, calls and the schemas of its tools. */
export function estimateTokens(messages: readonly ChatMessage[], tools: readonly ToolSchema[]): number {
  let chars = sizeOf(tools);
  let results = 0;
  for (const message of messages) {
    chars += message.content.length;
    if (message.role === "user") chars += (message.pictures?.length ?? 0) * PICTURE_TOKENS * CHARS_PER_TOKEN;
    if (message.role === "tool") results += message.pictures?.length ?? 0;
    if (message.role === "assistant")
      for (const call of message.toolCalls ?? []) chars += call.name.length + call.arguments.length;
  }
  return toTokens(chars + Math.min(results, RESULT_PICTURES) * PICTURE_TOKENS * CHARS_PER_TOKEN);
}

/** Schemas of a turn are the same list in each of its requests. */
const sizes = new WeakMap<readonly ToolSchema[], number>();

function sizeOf(tools: readonly ToolSchema[]): number {
  const known = sizes.get(tools) ?? JSON.stringify(tools).length;
  sizes.set(tools, known);
  return known;
}
