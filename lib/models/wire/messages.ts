import { canonicalJson } from "../../base/json/canonical-json.js";
import type { ChatMessage, ToolCall } from "../../contracts/models/model.js";

const NO_RESULT = "[Result unavailable: see the context summary above]";
const DAMAGED = "[The arguments of this call were damaged and are shown as {}.]";

/**
 * The messages as every protocol sends them (core part, 2.3): each call has exactly one result and each result a call, arguments are canonical
 * JSON, texts are trimmed, empty assistant messages are gone. The same history gives the same messages, and a longer history begins with the
 * messages of the shorter one.
 */
export function prepareMessages(messages: readonly ChatMessage[], form: PreparedForm = {}): readonly ChatMessage[] {
  const paired = pairResults(messages).filter((message) => !isEmptyAssistant(message));
  return mergeUsers(form.resultImages === false ? behindResults(paired) : paired);
}

/** What a protocol takes. */
export interface PreparedForm {
  /** `false`: results are texts; their pictures follow them in a message of the user. */
  readonly resultImages?: boolean;
}

function behindResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some((message) => message.role === "tool" && message.images !== undefined)) return messages;
  const out: ChatMessage[] = [];
  let shown: Result[] = [];
  for (const message of messages) {
    if (message.role !== "tool") out.push(...shownBy(shown));
    if (message.role !== "tool") shown = [];
    if (message.role !== "tool" || message.images === undefined) {
      out.push(message);
      continue;
    }
    const { images: _, ...text } = message;
    out.push(text);
    shown.push(message);
  }
  return [...out, ...shownBy(shown)];
}

function shownBy(results: readonly Result[]): readonly ChatMessage[] {
  if (results.length === 0) return [];
  const names = [...new Set(results.map(({ name }) => name))].join(", ");
  const images = results.flatMap((result) => result.images ?? []);
  return [{ role: "user", content: `[Pictures of the results of ${names} above, in their order.]`, images }];
}

function isEmptyAssistant(message: ChatMessage): boolean {
  if (message.role !== "assistant" || message.content !== "" || (message.toolCalls ?? []).length > 0) return false;
  return message.replay?.responses_reasoning_items === undefined; // thinking of an answer that goes on
}

function pairResults(messages: readonly ChatMessage[]): ChatMessage[] {
  const out: ChatMessage[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined || message.role === "tool") continue;
    if (message.role === "assistant") out.push(...withResults(message, messages, at));
    else
      out.push(message.content === message.content.trim() ? message : { ...message, content: message.content.trim() });
  }
  return out;
}

type Assistant = Extract<ChatMessage, { role: "assistant" }>;
type Result = Extract<ChatMessage, { role: "tool" }>;

/** A message of a long conversation stays the same object in every request of it, so that its text is made once. */
const paired = new WeakMap<Assistant, { readonly results: readonly Result[]; readonly made: readonly ChatMessage[] }>();

function withResults(message: Assistant, messages: readonly ChatMessage[], at: number): readonly ChatMessage[] {
  const known = paired.get(message);
  if (known !== undefined && stand(known.results, messages, at + 1)) return known.made;
  const results = resultsAfter(messages, at);
  const made = pair(message, results);
  paired.set(message, { results, made });
  return made;
}

/** These and no other results begin at `from`. */
const stand = (results: readonly Result[], messages: readonly ChatMessage[], from: number): boolean =>
  messages[from + results.length]?.role !== "tool" && results.every((result, n) => result === messages[from + n]);

function pair(message: Assistant, results: readonly Result[]): readonly ChatMessage[] {
  const calls = (message.toolCalls ?? []).map(canonicalCall);
  const own = {
    ...message,
    content: message.content.trim(),
    ...(calls.length > 0 ? { toolCalls: calls.map(({ call }) => call) } : {}),
  };
  const answers = calls.map(({ call, damaged }): Result => {
    const found = results.find((result) => result.toolCallId === call.id);
    const content = found?.content.trim() ?? NO_RESULT;
    return {
      role: "tool",
      toolCallId: call.id,
      name: call.name,
      content: damaged ? `${DAMAGED}\n${content}` : content,
      ...(found?.images === undefined ? {} : { images: found.images }),
    };
  });
  return [own, ...answers];
}

/** Results between the assistant message at `at` and the next message of another role. */
function resultsAfter(messages: readonly ChatMessage[], at: number): readonly Result[] {
  const results: Result[] = [];
  for (let next = at + 1; next < messages.length; next++) {
    const message = messages[next];
    if (message?.role !== "tool") break;
    results.push(message);
  }
  return results;
}

interface Canonical {
  readonly call: ToolCall;
  readonly damaged: boolean;
}

/** Calls of a long conversation go out again with every request of it. */
const looked = new WeakMap<ToolCall, Canonical>();

function canonicalCall(call: ToolCall): Canonical {
  const known = looked.get(call) ?? canonicalOf(call);
  looked.set(call, known);
  return known;
}

function canonicalOf(call: ToolCall): Canonical {
  try {
    const value: unknown = call.arguments.trim() === "" ? {} : JSON.parse(call.arguments);
    return { call: { ...call, arguments: canonicalJson(value) }, damaged: false };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { call: { ...call, arguments: "{}" }, damaged: true };
  }
}

function mergeUsers(messages: readonly ChatMessage[]): ChatMessage[] {
  const out: ChatMessage[] = [];
  for (const message of messages) {
    const before = out.at(-1);
    if (message.role === "user" && before?.role === "user") {
      const content = [before.content, message.content].filter((text) => text !== "").join("\n\n");
      const images = [...(before.images ?? []), ...(message.images ?? [])];
      out[out.length - 1] = { role: "user", content, ...(images.length === 0 ? {} : { images }) };
    } else out.push(message);
  }
  return out;
}
