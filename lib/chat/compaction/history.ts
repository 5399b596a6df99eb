import type { MessageRecord } from "../../contracts/chat/chat.js";
import type { ToolCall } from "../../contracts/models/model.js";
import { type MessagePicture, modelPictures, RESULT_PICTURES } from "../../contracts/models/pictures.js";
import { PICTURE_TOKENS, toTokens } from "../tokens/estimate.js";
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
  /** Pictures of it that requests hold; absent: none. */
  readonly pictures?: readonly MessagePicture[];
  /** How many of its pictures requests have as a line of text, because newer ones came. */
  readonly hiddenPictures?: number;
  /** Pictures of it that only front ends show. */
  readonly unsentPictures?: readonly MessagePicture[];
  /** What differs from the stored row. */
  readonly changed: { readonly content?: true; readonly toolCalls?: true; readonly pictures?: true };
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
  return { items: withPictures(items, messages), summary };
}

function toItem({ id, role, content, toolCalls = [], toolCallId, toolName, status, created_at }: MessageRecord): Item {
  return { id, role, content, toolCalls, toolCallId, toolName, status, at: created_at, changed: {} };
}

/** Of results the newest pictures are in requests, of messages of the user all. */
function withPictures(items: readonly Item[], messages: readonly MessageRecord[]): readonly Item[] {
  const stored = new Map(messages.map(({ id, pictures = [] }) => [id, pictures] as const));
  let left = RESULT_PICTURES;
  return items
    .toReversed()
    .map((item) => {
      const given = stored.get(item.id) ?? [];
      if (given.length === 0) return item;
      const all = modelPictures(given);
      const unsentPictures = given.filter((one) => !all.includes(one));
      if (item.role !== "tool") return { ...item, pictures: all, unsentPictures };
      const pictures = left === 0 ? [] : all.slice(-left);
      left -= pictures.length;
      return { ...item, pictures, hiddenPictures: all.length - pictures.length, unsentPictures };
    })
    .toReversed();
}

/** What of a message counts. */
interface Counted {
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly pictures?: readonly MessagePicture[];
}

/** Rough tokens of one message. */
export function itemTokens({ content, toolCalls = [], pictures = [] }: Counted): number {
  const chars = toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, content.length);
  return toTokens(chars) + modelPictures(pictures).length * PICTURE_TOKENS;
}

export const sumTokens = (items: Iterable<Counted>): number => {
  let sum = 0;
  for (const item of items) sum += itemTokens(item);
  return sum;
};
