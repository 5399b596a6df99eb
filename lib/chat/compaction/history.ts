import type { MessageRecord } from "../../contracts/chat/chat.js";
import type { ToolCall } from "../../contracts/models/model.js";
import { toTokens } from "../tokens/estimate.js";
import { splitSummary } from "./summary-text.js";

/** A message as compaction works on it: content and calls may already differ from what is stored under its id. */
export interface Item {
  readonly id: number;
  readonly role: MessageRecord["role"];
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  readonly status: string | undefined;
  readonly at: number;
  /** What differs from the stored row. */
  readonly changed: { readonly content?: true; readonly toolCalls?: true };
}

export interface ConversationHistory {
  readonly items: readonly Item[];
  /** Text of the summary that an earlier compaction wrote. */
  readonly summary: string | undefined;
}

/** The conversation without what earlier compactions put into it; their summary is taken out of the message that carries it. */
export function historyOf(messages: readonly MessageRecord[]): ConversationHistory {
  let summary: string | undefined;
  const items: Item[] = [];
  for (const message of messages) {
    if (!message.active || message.kind === "note") continue;
    if (message.kind !== "summary") {
      items.push(toItem(message));
      continue;
    }
    const found = splitSummary(message.content);
    summary = found?.summary ?? summary;
    const rest = found?.rest ?? message.content;
    if (message.copiedFrom === undefined || rest === "") continue;
    items.push({ ...toItem(message), content: rest, changed: { content: true } });
  }
  return { items, summary };
}

function toItem({ id, role, content, toolCalls = [], toolCallId, toolName, status, created_at }: MessageRecord): Item {
  return { id, role, content, toolCalls, toolCallId, toolName, status, at: created_at, changed: {} };
}

/** Rough tokens of one message. */
export function itemTokens({
  content,
  toolCalls = [],
}: {
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
}): number {
  return toTokens(toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, content.length));
}

export const sumTokens = (
  items: Iterable<{ readonly content: string; readonly toolCalls?: readonly ToolCall[] }>,
): number => {
  let sum = 0;
  for (const item of items) sum += itemTokens(item);
  return sum;
};
