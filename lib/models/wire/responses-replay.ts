import type { Replay, ReplayItem } from "../../contracts/models/model.js";

interface Item {
  readonly [member: string]: unknown;
  readonly type?: string | null | undefined;
  readonly id?: string | null | undefined;
}

/** What a Responses endpoint wants back: encrypted reasoning without its id, messages with theirs. Undefined: nothing. */
export function replayItems(items: readonly Item[]): Omit<Replay, "from"> | undefined {
  const reasoning = items.flatMap(reasoningOf);
  const messages = items.flatMap(messageOf);
  if (reasoning.length === 0) return undefined; // messages alone are said as well by their text
  return {
    responses_reasoning_items: reasoning,
    ...(messages.length === 0 ? {} : { responses_message_items: messages }),
  };
}

function reasoningOf({ type, id, encrypted_content, summary }: Item): ReplayItem[] {
  if (type !== "reasoning" || typeof encrypted_content !== "string" || encrypted_content === "") return [];
  if (typeof id === "string" && id.startsWith("rs_tmp_")) return [];
  return [{ type, encrypted_content, summary: Array.isArray(summary) ? summary : [] }];
}

function messageOf({ type, id, status, phase, content }: Item): ReplayItem[] {
  if (type !== "message" || typeof id !== "string" || id === "" || !Array.isArray(content) || content.length === 0)
    return [];
  return [{ type, role: "assistant", id, status: status ?? "completed", ...(phase ? { phase } : {}), content }];
}
