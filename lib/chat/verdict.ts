import type { ChatMessage, ToolCall } from "../proto/model.js";
import type { Answer } from "./round.js";
import type { Ending } from "./tally.js";

const MAX_CONTINUATIONS = 3; // core part, 2.4
const MAX_TRUNCATED_CALLS = 3;
const MAX_EMPTY_REPEATS = 3;
const DEFAULT_CAP = 4096;
const HIGHEST_CAP = 32_768;

const GO_ON = "Your answer was cut off by the output limit. Go on exactly where it stopped, without repeating anything.";
const GO_ON_AFTER_CUT =
  "The network connection was cut while you were answering. Go on exactly where the text stopped, without repeating anything.";
const SPLIT_CALL =
  "The network connection was cut while a tool call was being sent. Make the call again, and split large contents into several calls of less than about 8000 tokens each.";
const USE_RESULTS = "You gave an empty answer after the tool calls. Look at the tool results above and go on with the task.";

/** What the turn remembers between its requests. Nothing of it is stored. */
export interface Memory {
  /** Messages for the wire only, after the stored ones. */
  wireOnly: ChatMessage[];
  /** Texts of answers that were cut by the output limit, to be joined into one. */
  parts: string[];
  continuations: number;
  truncatedCalls: number;
  emptyAsks: number;
  nudged: boolean;
  cap: number | undefined;
}

export const newMemory = (wireOnly: readonly ChatMessage[] = []): Memory => ({
  wireOnly: [...wireOnly],
  parts: [],
  continuations: 0,
  truncatedCalls: 0,
  emptyAsks: 0,
  nudged: false,
  cap: undefined,
});

export type Verdict =
  | { readonly do: "tools"; readonly calls: readonly ToolCall[] }
  | { readonly do: "ask again" }
  | { readonly do: "end"; readonly ending: Ending };

/** What a response means (core part, 2.4). Changes `memory`, nothing else. */
export function judge(answer: Extract<Answer, { ok: true }>, memory: Memory, afterTools: boolean): Verdict {
  if (answer.finish === "content_filter") return end(refused(answer.content));
  const cut = answer.finish === "length" || answer.finish === "dropped";
  if (answer.toolCalls.length > 0) return cut ? again(answer, memory) : { do: "tools", calls: answer.toolCalls };
  if (answer.content.trim() === "") return empty(answer, memory, afterTools);
  if (cut) return goOn(answer, memory);
  const replay = memory.parts.length === 0 && answer.replay !== undefined ? { replay: answer.replay } : {};
  return end({ reason: "text_response", answer: joined(memory, answer.content), reasoning: answer.reasoning, ...replay });
}

/** A truncated call is never run: the same request is asked again, with more room. */
function again(answer: Extract<Answer, { ok: true }>, memory: Memory): Verdict {
  memory.truncatedCalls += 1;
  if (memory.truncatedCalls > MAX_TRUNCATED_CALLS)
    return end({ reason: "truncated", answer: "Response truncated due to output length limit", partial: true });
  if (answer.finish === "dropped") memory.wireOnly = [...memory.wireOnly, { role: "user", content: SPLIT_CALL }];
  else raiseCap(memory, memory.truncatedCalls);
  return { do: "ask again" };
}

function goOn(answer: Extract<Answer, { ok: true }>, memory: Memory): Verdict {
  memory.parts.push(answer.content);
  memory.continuations += 1;
  if (memory.continuations > MAX_CONTINUATIONS) {
    const failure = { class: "truncated", message: `Response remained truncated after ${MAX_CONTINUATIONS} continuation attempts` };
    return end({ reason: "truncated", answer: memory.parts.join(""), partial: true, failure });
  }
  if (answer.finish === "length") raiseCap(memory, memory.continuations);
  const ask = answer.finish === "dropped" ? GO_ON_AFTER_CUT : GO_ON;
  memory.wireOnly = [...memory.wireOnly, { role: "assistant", content: answer.content }, { role: "user", content: ask }];
  return { do: "ask again" };
}

function empty(answer: Extract<Answer, { ok: true }>, memory: Memory, afterTools: boolean): Verdict {
  if (memory.parts.length > 0) return end({ reason: "text_response", answer: memory.parts.join("") });
  if (answer.finish === "length" && answer.reasoning !== "")
    return end({ reason: "truncated", answer: "The thinking budget was used up before an answer was written", partial: true });
  if (afterTools && !memory.nudged && answer.reasoning === "") {
    memory.nudged = true;
    memory.wireOnly = [...memory.wireOnly, { role: "assistant", content: "(empty)" }, { role: "user", content: USE_RESULTS }];
    return { do: "ask again" };
  }
  memory.emptyAsks += 1;
  if (memory.emptyAsks <= MAX_EMPTY_REPEATS) return { do: "ask again" };
  const why = `the model gave ${MAX_EMPTY_REPEATS + 1} empty answers. The request was repeated ${MAX_EMPTY_REPEATS} times; ask again, or choose another model.`;
  const failure = { class: "empty_response", message: `No reply: ${why}` };
  return end({ reason: "empty_response_exhausted", answer: `⚠️ No reply: ${why}`, failure });
}

function raiseCap(memory: Memory, attempt: number): void {
  const before = memory.cap ?? DEFAULT_CAP;
  memory.cap = Math.min(Math.max(DEFAULT_CAP * (attempt + 1), before), Math.max(HIGHEST_CAP, before));
}

function refused(text: string): Ending {
  const own = text.trim() === "" ? "" : `\n\nThe model said: ${text.trim()}`;
  const answer = `The model refused to answer this request because of its content policy. Rephrase it, or choose another model.${own}`;
  return {
    reason: "content_policy_blocked",
    answer,
    partial: true,
    failure: { class: "content_policy_blocked", message: "the model refused the request because of its content policy" },
  };
}

const joined = (memory: Memory, last: string): string => [...memory.parts, last].join("");
const end = (ending: Ending): Verdict => ({ do: "end", ending });
