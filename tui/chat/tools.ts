import { sanitize, sanitizeLine } from "../draw/sanitize.js";
import { type Data, number, text } from "../model/data.js";
import { callKey, toolState } from "./items.js";
import { pushItem, withCall } from "./push.js";
import { sealedThinking } from "./sealed.js";
import type { ChatItem, ChatState, ToolItem } from "./state.js";

const KEPT_LINES = 20; // workspace part, 5.1: that many are seen when a running command is unfolded
const KEPT_CHARS = 2_000;
const KEPT_INNER = 100;
const KEPT_TOOLS = 50;

/** What calls do; undefined: the event is not of one. */
export function toolEvent(chat: ChatState, event: string, data: Data, now: number): ChatState | undefined {
  switch (event) {
    case "tool.generating":
      return { ...sealedThinking(chat, now), writing: sanitizeLine(text(data, "name")) };
    case "tool.started":
      return started(sealedThinking({ ...chat, writing: undefined }, now), data, now);
    case "tool.progress":
      return { ...chat, output: { ...chat.output, [text(data, "call_id")]: lastLines(chat, data) } };
    case "tool.ended":
      return ended(chat, data);
    default:
      return undefined;
  }
}

/** The newest lines of a running command. The last one may still grow. */
function lastLines({ output }: ChatState, data: Data): readonly string[] {
  const before = output[text(data, "call_id")] ?? [""];
  const fresh = sanitize(text(data, "text").slice(-KEPT_LINES * KEPT_CHARS)).split("\n");
  const joined = [...before.slice(0, -1), `${before.at(-1) ?? ""}${fresh[0] ?? ""}`, ...fresh.slice(1)];
  return joined.slice(-KEPT_LINES - 1).map((line) => line.slice(0, KEPT_CHARS));
}

function started(chat: ChatState, data: Data, now: number): ChatState {
  const callId = text(data, "call_id");
  const item: ToolItem = {
    kind: "tool",
    key: callKey(chat.round, callId),
    callId,
    name: sanitizeLine(text(data, "name")),
    preview: sanitizeLine(text(data, "preview")),
    state: "running",
    ms: 0,
    since: now,
    result: undefined,
    inner: [],
  };
  const outer = text(data, "parent_call_id");
  if (outer === "") return chat.items.some(({ key }) => key === item.key) ? chat : pushItem(chat, item);
  return withCall(chat, outer, (one) => ({ ...one, inner: [...one.inner, item].slice(-KEPT_INNER) }));
}

function ended(chat: ChatState, data: Data): ChatState {
  const callId = text(data, "call_id");
  const outer = text(data, "parent_call_id");
  const over = (item: ToolItem): ToolItem => ({
    ...item,
    state: toolState(text(data, "status")),
    ms: number(data, "duration_ms"),
    result: resultIn(item, data),
  });
  if (outer !== "")
    return withCall(chat, outer, (one) => ({
      ...one,
      inner: one.inner.map((inner) => (inner.callId === callId ? over(inner) : inner)),
    }));
  const { [callId]: _, ...output } = chat.output;
  return withCall({ ...chat, output }, callId, over);
}

/** The event says little of the result; the message that holds it says more, and may have come first. */
function resultIn(item: ToolItem, data: Data): ToolItem["result"] {
  const exit = typeof data["exit_code"] === "number" ? data["exit_code"] : undefined;
  if (item.result !== undefined) return { ...item.result, exit: exit ?? item.result.exit };
  return { place: undefined, text: sanitize(text(data, "preview")), cut: true, diff: undefined, exit };
}

/** Conversations that this one has sent; undefined: the event is not of one. */
export function childEvent(chat: ChatState, event: string, data: Data, now: number): ChatState | undefined {
  if (!event.startsWith("child.")) return undefined;
  const key = `d${text(data, "id")}`;
  if (chat.items.some((item) => item.key === key))
    return {
      ...chat,
      items: chat.items.map((item) =>
        item.kind === "child" && item.key === key ? { ...item, ...told(data, item.tools) } : item,
      ),
    };
  const made = { kind: "child", key, id: text(data, "id"), since: now - number(data, "duration_ms") } as const;
  return pushItem(chat, { ...made, ...told(data, []) });
}

type Child = Extract<ChatItem, { kind: "child" }>;

function told(
  data: Data,
  before: readonly string[],
): Pick<Child, "goal" | "role" | "status" | "tool" | "tokens" | "ms" | "tools"> {
  const tokens = data["tokens"];
  const used =
    typeof tokens === "object" && tokens !== null
      ? Object.values(tokens).reduce((sum: number, one) => sum + Number(one), 0)
      : 0;
  const tool = typeof data["tool"] === "string" ? sanitizeLine(data["tool"]) : undefined;
  return {
    goal: sanitizeLine(text(data, "goal")),
    role: sanitizeLine(text(data, "role")),
    status: sanitizeLine(text(data, "status")),
    tool,
    tokens: used,
    ms: number(data, "duration_ms"),
    tools: tool === undefined ? before : [...before, tool].slice(-KEPT_TOOLS),
  };
}
