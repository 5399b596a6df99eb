import type { Data } from "../model/data.js";
import type { Message } from "../model/messages.js";
import type { Reducer, State, Updated } from "../model/state.js";
import { START_ANSWER } from "../start/reducer.js";
import { lineAnswer } from "./aloud.js";
import { printedWhenHere, withInline } from "./commands.js";
import type { LastTurn } from "./state.js";

const TOOLS = "inline.tools";

/** What line mode has to know beside the rest. */
export const inlineReducer: Reducer = (state, message) => {
  const own = told(state, message);
  const [after, effects] = own ?? [state, []];
  const next = printedWhenHere(after);
  return own === undefined && next === state ? undefined : [next, effects];
};

function told(state: State, message: Message): Updated | undefined {
  const { inline } = state;
  if (inline === undefined) return undefined;
  if (message.type === "line") return typed(withInline(state, { lines: inline.lines + 1 }), message.text);
  if (inline.tools === undefined && startsNow(state, message))
    return [state, [{ do: "call", method: "tools.list", params: {}, to: TOOLS, reads: true }]];
  if (message.type === "called" && message.to === TOOLS)
    return [withInline(state, { tools: message.ok ? offered(message.result) : 0 }), []];
  if (message.type === "chat" && message.event === "turn.ended")
    return [withInline(state, { turns: inline.turns + 1, last: toLast(message.data) }), []];
  return undefined;
}

/** A whole line: an answer to the open question where a person types it, else what the composer makes of it. */
function typed(state: State, text: string): Updated {
  const answer = state.inline?.aloud === true ? lineAnswer(state, text) : undefined;
  if (answer !== undefined) return answer;
  const enter = { type: "key", name: "enter", ctrl: false, alt: false, shift: false } as const;
  return [
    state,
    [
      { do: "tell", message: { type: "paste", text } },
      { do: "tell", message: enter },
    ],
  ];
}

/** The block at the start says what the owner answers to `screen.start`, so in an empty conversation that is waited for. */
function startsNow({ queue }: State, message: Message): boolean {
  if (message.type === "called") return message.to === START_ANSWER;
  return message.type === "session" && message.fresh === true && (message.items.length > 0 || queue.local.length > 0);
}

/** Sets that are on, each with its tools. */
function offered(result: unknown): number {
  const rows: readonly unknown[] = Array.isArray(result)
    ? result
    : isRecord(result) && Array.isArray(result["tools"])
      ? result["tools"]
      : [];
  return rows.filter((row) => isRecord(row) && row["offered"] !== false && row["state"] !== "off").length;
}

const isRecord = (value: unknown): value is Data => typeof value === "object" && value !== null;

const toLast = (data: Data): LastTurn => ({
  interrupted: data["interrupted"] === true,
  failed: data["failed"] === true,
  completed: data["completed"] === true,
  denied: Array.isArray(data["denied"]) && data["denied"].length > 0,
});
