import { isRecord } from "../../base/json/record.js";
import type { MessageRecord } from "../../contracts/chat/chat.js";

const TEXT_CHARS = 160;

/** One thing that a review has saved. */
interface Saved {
  readonly what: string;
  /** The text, for those who want to see it. */
  readonly text: string;
}

/**
 * What a review has saved, in one line; undefined: nothing.
 *
 * @param messages those that it added to the conversation
 * @param verbose with the texts, a line each
 */
export function savedText(messages: readonly MessageRecord[], verbose: boolean): string | undefined {
  const saved = savedIn(messages);
  if (saved.length === 0) return undefined;
  const counted = new Map<string, number>();
  for (const { what } of saved) counted.set(what, (counted.get(what) ?? 0) + 1);
  const list = [...counted].map(([what, count]) => (count === 1 ? what : `${what} (${count} times)`)).join(", ");
  const lines = verbose ? saved.flatMap(({ text }) => (text === "" ? [] : [`- ${text}`])) : [];
  return [`💾 Self-improvement review: ${list}`, ...lines].join("\n");
}

function savedIn(messages: readonly MessageRecord[]): readonly Saved[] {
  const ok = new Set(
    messages.flatMap(({ role, status, toolCallId }) => (role === "tool" && status === "ok" ? [toolCallId] : [])),
  );
  const waiting = new Set(messages.filter(isWaiting).map(({ toolCallId }) => toolCallId));
  return messages
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .filter(({ id }) => ok.has(id))
    .flatMap(({ id, name, arguments: json }) => {
      const saved = savedBy(name, argumentsOf(json));
      return waiting.has(id)
        ? saved.map((one) => ({ ...one, what: "memory change waits for you (/memory pending)" }))
        : saved;
    });
}

/** The result of a change that a person decides about. */
const isWaiting = ({ role, toolName, content }: MessageRecord): boolean =>
  role === "tool" && toolName === "memory" && /"pending":"p_[0-9a-f]{8}"/.test(content);

function savedBy(tool: string, args: Readonly<Record<string, unknown>>): readonly Saved[] {
  const text = (key: string) => (typeof args[key] === "string" ? args[key] : "");
  const action = text("action");
  if (tool === "memory" && ["add", "replace", "remove"].includes(action))
    return [
      {
        what: action === "remove" ? "memory cleaned up" : "memory updated",
        text: oneLine(text("content") || text("old_text")),
      },
    ];
  if (tool === "skill_manage")
    return [{ what: `skill ${text("name")} ${action === "create" ? "created" : "changed"}`, text: "" }];
  return [];
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").slice(0, TEXT_CHARS);

function argumentsOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const given: unknown = JSON.parse(json);
    return isRecord(given) ? given : {};
  } catch {
    return {}; /* ok to lose: what cannot be read was not carried out */
  }
}

/** Rounds of tool calls since the last one that changed a skill; undefined: none did. */
export function roundsSinceSkill(messages: readonly MessageRecord[]): number | undefined {
  let rounds = 0;
  for (const { toolCalls = [] } of messages.toReversed()) {
    if (toolCalls.some(({ name }) => name === "skill_manage")) return rounds;
    if (toolCalls.length > 0) rounds += 1;
  }
  return undefined;
}
