import { compactionLines } from "../../lib/contracts/chat/compaction-lines.js";
import { sanitize, sanitizeLine } from "../draw/sanitize.js";
import { type Data, number, retryCount, text } from "../model/data.js";
import type { State } from "../model/state.js";
import { withEnding } from "./ends.js";
import { grown, liveText } from "./live.js";
import { pushItem, pushNote } from "./push.js";
import { sealedAnswer, sealedThinking, withMessage } from "./sealed.js";
import type { ChatItem, ChatState } from "./state.js";
import { childEvent, toolEvent } from "./tools.js";

/** What an event of the shown session changes in its pane. Unknown ones are passed over: a newer owner may send more. */
export function chatEvent({ chat: before, now }: State, event: string, data: Data): ChatState {
  const chat = withoutRetry(before, event);
  switch (event) {
    case "turn.started":
      return { ...chat, live: undefined, thinking: undefined, streamed: 0, closed: false, output: {}, cutOff: false };
    case "turn.phase":
      return begins(text(data, "phase")) ? { ...chat, streamed: 0, closed: false } : chat;
    case "text.reset":
      return { ...chat, live: undefined, streamed: 0, closed: false };
    case "text.delta":
      return streamed(chat, data, now);
    case "reasoning.delta":
      return thought(chat, data, now);
    case "message.added":
      return withMessage(chat, data, now);
    case "turn.ended":
      return turnEnded(chat, data, now);
    default:
      return (
        toolEvent(chat, event, data, now) ??
        childEvent(chat, event, data, now) ??
        noticeEvent(chat, event, data) ??
        chat
      );
  }
}

/** What a request that is repeated gives: the row that says so is no longer of use. */
const GOES_ON: ReadonlySet<string> = new Set([
  "text.delta",
  "reasoning.delta",
  "tool.generating",
  "tool.started",
  "message.added",
]);

const isRetry = (item: ChatItem | undefined): boolean => item?.kind === "notice" && item.key.startsWith("retry");

/** The row of a retry ends when the request goes on, and at the latest with its turn. */
function withoutRetry(chat: ChatState, event: string): ChatState {
  if (event === "turn.ended" && chat.items.some(isRetry))
    return { ...chat, items: chat.items.filter((item) => !isRetry(item)) };
  return GOES_ON.has(event) && isRetry(chat.items.at(-1)) ? { ...chat, items: chat.items.slice(0, -1) } : chat;
}

/** A request begins with nothing of its answer. */
const begins = (phase: string): boolean => phase === "waiting_model" || phase === "tool";

/** What a command has answered stands under it, wherever the conversation has gone meanwhile. */
export function finishCommand(
  chat: ChatState,
  answer: { readonly id: number; readonly text: string; readonly failed: boolean },
): ChatState {
  const given = { answer: sanitize(answer.text), failed: answer.failed };
  return {
    ...chat,
    items: chat.items.map((item) => (item.kind === "command" && item.id === answer.id ? { ...item, ...given } : item)),
  };
}

/** A command that was typed: shown in the conversation, but no part of it. */
export function addCommand(chat: ChatState, command: string): readonly [ChatState, number] {
  const id = chat.commands + 1;
  const item: ChatItem = {
    kind: "command",
    key: `k${id}`,
    text: sanitize(command),
    id,
    answer: undefined,
    failed: false,
  };
  return [pushItem({ ...chat, commands: id }, item), id];
}

/** What streams; text that the screen has already is left out, and what comes late of an answer that is stored. */
function streamed(chat: ChatState, data: Data, now: number): ChatState {
  const told = text(data, "text");
  const offset = typeof data["offset"] === "number" ? data["offset"] : chat.streamed;
  const anew = chat.closed && offset < chat.streamed;
  if (chat.closed && !anew) return chat;
  const had = anew ? 0 : chat.streamed;
  const fresh = told.slice(Math.max(0, had - offset));
  const base = chat.live === undefined ? sealedThinking(chat, now) : chat;
  const made = base.live === undefined ? base.made + 1 : base.made;
  const live = grown(base.live ?? liveText(`l${made}`, now, chat.blockLines), fresh);
  return { ...base, live, made, streamed: had + fresh.length, closed: false, writing: undefined };
}

/** What comes late, when the answer has begun, is in the message that is stored then. */
function thought(chat: ChatState, data: Data, now: number): ChatState {
  if (chat.live !== undefined || chat.closed) return chat;
  const made = chat.thinking === undefined ? chat.made + 1 : chat.made;
  return { ...chat, made, thinking: grown(chat.thinking ?? liveText(`r${made}`, now), text(data, "text")) };
}

/** The text so far of an answer in whose middle this screen begins to look. */
export function withTurnSoFar(
  { chat: before, now }: State,
  { streamed: told, turn_id: turn, output }: Data,
): ChatState {
  const chat = withOutput(before, output);
  if (typeof turn !== "string" || typeof told !== "string" || told.length <= chat.streamed) return chat;
  const made = chat.live === undefined ? chat.made + 1 : chat.made;
  return { ...chat, made, live: grown(liveText(chat.live?.key ?? `l${made}`, now), told), streamed: told.length };
}

/** What running commands have written so far. */
function withOutput(chat: ChatState, given: unknown): ChatState {
  const told = typeof given === "object" && given !== null ? Object.entries(given) : [];
  const output = Object.fromEntries(told.map(([call, text]) => [call, sanitize(String(text)).split("\n")]));
  return { ...chat, output: { ...chat.output, ...output } };
}

function turnEnded(chat: ChatState, data: Data, now: number): ChatState {
  const error = data["error"];
  const failed =
    typeof error === "object" && error !== null && "message" in error ? sanitize(String(error.message)) : undefined;
  const stored = sealedAnswer(sealedThinking(chat, now), data["interrupted"] === true);
  const base: ChatState = {
    ...stored,
    streamed: 0,
    closed: true,
    writing: undefined,
    output: {},
    items: stopped(stored.items),
  };
  const told = withEnding(failed === undefined ? base : pushNote(base, failed, "error"), data);
  return data["exit_reason"] === "owner_stopped" ? { ...told, cutOff: true } : told;
}

/** Nothing of a turn that is over runs; a child that goes on by itself does. */
const stopped = (items: readonly ChatItem[]): readonly ChatItem[] =>
  items.some((item) => item.kind === "tool" && item.state === "running")
    ? items.map((item) => (item.kind === "tool" && item.state === "running" ? { ...item, state: "stopped" } : item))
    : items;

function noticeEvent(chat: ChatState, event: string, data: Data): ChatState | undefined {
  switch (event) {
    case "notice":
      return pushNote(chat, sanitize(text(data, "text")), level(data));
    case "retry":
      return retried(chat, data);
    case "steer.accepted":
      return pushNote(chat, `Steering: ${sanitize(text(data, "text"))} (delivered with the next tool result)`);
    case "steer.delivered":
      return pushNote(chat, "Delivered.");
    default:
      return event.startsWith("compaction.") ? compaction(chat, event, data) : undefined;
  }
}

/** One row for all retries of a request, changed in place. */
function retried(chat: ChatState, data: Data): ChatState {
  const wait = number(data, "wait_ms");
  const soon = wait > 0 ? ` in ${wait < 1_000 ? "1" : Math.round(wait / 1_000)} s` : "";
  const line = `${retryCount(number(data, "attempt"), number(data, "of"))}${soon}: ${sanitizeLine(text(data, "cause"))}`;
  const last = chat.items.at(-1);
  if (last?.kind !== "notice" || !isRetry(last)) {
    const made = chat.made + 1;
    return pushItem({ ...chat, made }, { kind: "notice", key: `retry${made}`, text: line, level: "warning" });
  }
  return { ...chat, items: [...chat.items.slice(0, -1), { ...last, text: line }] };
}

function compaction(chat: ChatState, event: string, data: Data): ChatState {
  if (data["reason"] === "manual") return byHand(chat, event, data);
  const failed = event === "compaction.ended" && data["ok"] !== true;
  const divides = event === "compaction.ended" && !failed;
  const rule = ruleOf(data);
  return compactionLines(event, data).reduce<ChatState>(
    (now, line, place) =>
      pushNote(now, sanitize(line), failed ? "warning" : "info", divides && place === 0 ? rule : undefined),
    chat,
  );
}

const ruleOf = (data: Data): string =>
  `compacted: ${number(data, "messages_before")} → ${number(data, "messages_after")} messages · /compress undo`;

/** The answer of the command tells how it went: here only the line is drawn that divides what was before. */
const byHand = (chat: ChatState, event: string, data: Data): ChatState =>
  event === "compaction.ended" && data["ok"] === true ? pushNote(chat, "", "info", ruleOf(data)) : chat;

function level(data: Data): "info" | "warning" | "error" {
  return data["level"] === "error" || data["level"] === "warning" ? data["level"] : "info";
}
