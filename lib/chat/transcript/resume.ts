import { canonicalJson } from "../../base/json/canonical-json.js";
import type { MessageRecord } from "../../contracts/chat/chat.js";
import type { ToolCall } from "../../contracts/models/model.js";

/** The message of the user with which a turn goes on that was cut off. */
export const GO_ON = "Continue where you were cut off.";

/** Likewise in a chat on a messaging platform. */
export const RESUMED =
  "[The turn before was cut off because the program ended. Go on and answer its message. Do not repeat work that is done already; where it is " +
  "unclear whether an action took place, say so and ask.]";

const INTERNAL: ReadonlySet<string> = new Set([GO_ON, RESUMED]);

/** What stands in place of a call that an interrupted turn had begun (gateway part, 3.10). */
export const BEGUN = JSON.stringify({
  error:
    "not run: this very call was already started before the program was restarted; it may or may not have taken effect. Look, or ask.",
});

/** Text in place of a call that must not be begun; undefined: it may. */
export type RepeatGuard = (call: ToolCall, readOnly: boolean) => string | undefined;

/**
 * Calls that the turns before a resumed one had begun, back to the last message of a person: none that changes something is begun again.
 *
 * @param messages what is stored before the resumed turn
 */
export function begunBefore(messages: readonly MessageRecord[]): RepeatGuard {
  const known = new Set<string>();
  for (const message of messages.toReversed()) {
    for (const call of message.toolCalls ?? []) for (const name of namesOf(call)) known.add(name);
    if (message.role === "user" && !INTERNAL.has(message.content)) break;
  }
  return (call, readOnly) => (readOnly || !known.has(signature(call.name, call.arguments)) ? undefined : BEGUN);
}

/** A call through `tool_call` is known by what it holds as well. */
function namesOf({ name, arguments: text }: ToolCall): readonly string[] {
  const own = signature(name, text);
  const held: unknown = name === "tool_call" ? parsed(text) : undefined;
  if (typeof held !== "object" || held === null || !("name" in held) || !("arguments" in held)) return [own];
  return [own, signature(String(held.name), JSON.stringify(held.arguments))];
}

const signature = (name: string, text: string): string => `${name} ${canonicalJson(parsed(text))}`;

function parsed(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return text; // invalid JSON is compared as a text
  }
}
