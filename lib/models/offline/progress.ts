import { canonicalJson } from "../../base/json/canonical-json.js";
import type { EpochMs } from "../../base/units.js";
import type { ChatMessage, ModelRequest, ToolCall } from "../../contracts/models/model.js";
import type { OfflineStep, RuleContext } from "./rules.js";
import { readAnswer, type ToolAnswer } from "./show.js";

/** What the stand-in says next: text, then calls. `count`: numbers to stream before the text. */
export interface OfflineAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly count?: number;
}

/** Everything that the answer depends on. */
export interface OfflineConversation {
  readonly request: ModelRequest;
  readonly now: EpochMs;
}

/** How far the work on a message has come. */
export interface OfflineProgress {
  /** Rounds of calls made since. */
  readonly rounds: number;
  readonly answers: readonly ToolAnswer[];
}

/** What was done after the message at `at`. */
export function progressSince(messages: readonly ChatMessage[], at: number): OfflineProgress {
  const later = messages.slice(at + 1);
  return {
    rounds: later.filter((message) => message.role === "assistant" && (message.toolCalls ?? []).length > 0).length,
    answers: later.flatMap((message) => (message.role === "tool" ? [readAnswer(message.content)] : [])),
  };
}

/** Calls with ids that are distinct in the conversation and the same each time. */
export function callsFor(steps: readonly OfflineStep[], messages: readonly ChatMessage[]): readonly ToolCall[] {
  const before = messages.reduce(
    (sum, message) => sum + (message.role === "assistant" ? (message.toolCalls ?? []).length : 0),
    0,
  );
  return steps.flatMap((step, n) =>
    step.kind === "call"
      ? [{ id: `call_offline_${before + n + 1}`, name: step.tool, arguments: canonicalJson(step.args) }]
      : [],
  );
}

/** What rules may know of the conversation. */
export function ruleContext(conversation: OfflineConversation): RuleContext {
  return { now: conversation.now, todo: (id) => todoText(conversation.request.messages, id) };
}

/** Content of the to-do item as the newest list shows it. */
function todoText(messages: readonly ChatMessage[], id: string): string | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== "tool" || message.name !== "todo") continue;
    const todos = readAnswer(message.content).fields["todos"];
    const item: unknown = Array.isArray(todos)
      ? todos.find((row) => row !== null && typeof row === "object" && String(row.id) === id)
      : undefined;
    if (typeof item === "object" && item !== null && "content" in item) return String(item.content);
  }
  return undefined;
}
