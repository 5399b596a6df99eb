import { sanitize } from "../draw/sanitize.js";
import { type Data, number, text } from "../model/data.js";
import { type Message, placeOf, toItems } from "./items.js";
import { finished } from "./live.js";
import { pushItem, withCall } from "./push.js";
import { resultOf, todoOf } from "./results.js";
import type { ChatItem, ChatState, Live } from "./state.js";

/** The thinking that streamed is over: one row from now on. */
export function sealedThinking(chat: ChatState, now: number): ChatState {
  if (chat.thinking === undefined) return chat;
  const { key, source, outline, since } = finished(chat.thinking);
  const over = { ...chat, thinking: undefined };
  return source.trim() === ""
    ? over
    : pushItem(over, { kind: "thinking", key, text: source, outline, ms: now - since });
}

/** An answer that was not stored, because its turn ended in its middle, stays as it was seen. */
export function sealedAnswer(chat: ChatState, interrupted: boolean): ChatState {
  if (chat.live === undefined) return chat;
  const { key, source, outline } = finished(chat.live);
  const over = { ...chat, live: undefined };
  return source.trim() === ""
    ? over
    : pushItem(over, { kind: "answer", key, text: source, id: 0, interrupted, place: undefined, outline });
}

/** A message is stored. What streamed of it takes its name and stays as it is laid out. */
export function withMessage(chat: ChatState, data: Data, now: number): ChatState {
  const id = number(data, "id");
  if (chat.items.some((item) => (item.kind === "user" || item.kind === "answer") && item.id === id && id !== 0))
    return chat;
  if (data["role"] === "tool") return withResult(chat, data);
  if (data["role"] === "assistant") return withAnswer(sealedThinking(chat, now), data, id);
  return toItems([data as Message]).reduce(pushItem, chat);
}

function withAnswer(chat: ChatState, data: Data, id: number): ChatState {
  const { live } = chat;
  const over: ChatState = { ...withWholeThought(chat, data), live: undefined, closed: true, round: id };
  // Its calls have rows of their own, which come with their beginnings: behind what it says.
  const said = { ...data, tool_calls: [] };
  const thought = live === undefined && thoughtAt(chat) < 0 ? toItems([{ ...said, content: "" }]) : [];
  const [answer] = toItems([{ ...said, reasoning: "" }]);
  if (answer?.kind !== "answer") return thought.reduce(pushItem, over);
  const item = live === undefined ? answer : streamedAnswer(finished(live), answer, data["truncated"] === true);
  return [...thought, item].reduce(pushItem, live === undefined ? over : renamed(over, live.key, `m${id}`));
}

/** Place of the thinking that belongs to the message that comes next: nothing of the conversation stands behind it. -1: none was seen. */
function thoughtAt({ items }: ChatState): number {
  const at = items.findLastIndex(
    ({ kind }) => kind === "thinking" || kind === "answer" || kind === "tool" || kind === "user",
  );
  return items[at]?.kind === "thinking" ? at : -1;
}

/** The end of the thinking may have come too late to be seen. */
function withWholeThought(chat: ChatState, data: Data): ChatState {
  const whole = sanitize(text(data, "reasoning")).trim();
  const own = thoughtAt(chat);
  const seen = chat.items[own];
  if (whole === "" || seen?.kind !== "thinking" || seen.text.trim() === whole) return chat;
  return { ...chat, items: chat.items.with(own, { ...seen, text: whole }) };
}

/** What was seen is what is stored, most of the time; then nothing of it is laid out again. */
function streamedAnswer(
  { source, outline }: Live,
  answer: Extract<ChatItem, { kind: "answer" }>,
  truncated: boolean,
): ChatItem {
  const same = truncated ? source.length > answer.text.length : source.trim() === answer.text;
  return same ? { ...answer, text: truncated ? source : answer.text, outline } : answer;
}

/** Whatever is anchored to an item goes on with its new name. */
function renamed(chat: ChatState, from: string, to: string): ChatState {
  const anchor = <T extends { readonly key: string }>(at: T | undefined) =>
    at?.key === from ? { ...at, key: to } : at;
  return { ...chat, top: anchor(chat.top), mark: anchor(chat.mark), cursor: chat.cursor === from ? to : chat.cursor };
}

function withResult(chat: ChatState, data: Data): ChatState {
  const call = text(data, "tool_call_id");
  const content = text(data, "content");
  const given = resultOf(content, placeOf(data), data["pictures"]);
  const result = data["truncated"] === true ? { ...given, cut: true } : given;
  const todo = text(data, "tool_name") === "todo" ? todoOf(content) : undefined;
  return withCall({ ...chat, todo: todo ?? chat.todo }, call, (item) => ({ ...item, result }));
}

/** Text of an item as it was written, for the clipboard and the pager. */
export function sourceOf(item: ChatItem): string {
  switch (item.kind) {
    case "tool":
      return item.result?.diff ?? item.result?.text ?? item.preview;
    case "child":
      return item.goal;
    case "command":
      return item.answer ?? item.text;
    case "notice":
    case "user":
    case "answer":
    case "thinking":
      return sanitize(item.text);
  }
}
