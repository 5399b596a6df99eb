import type { MessageRecord } from "../../contracts/chat/chat.js";

const OPENING = "[EARLIER IN THIS CONVERSATION";
const CLOSING = "[/EARLIER IN THIS CONVERSATION]";
const MARKS = /\[(\/?)EARLIER IN THIS CONVERSATION/g;
const HEAD = `${OPENING} - what was said before, oldest first; the message of the user follows behind it]`;
const CUT = "(older messages are left out)";

/** Source: extensions part, 8.8. */
const BLOCK_CHARS = 20_000;
/** Of one message: a long result must not hide everything else. */
const MESSAGE_CHARS = 4_000;
const RESULT_CHARS = 800;
const CALL_CHARS = 300;

/** The newest messages of a conversation in a marked block, for the first input of a new thread; undefined without messages. */
export function historyBlock(messages: readonly MessageRecord[]): string | undefined {
  const lines: string[] = [];
  let left = BLOCK_CHARS - HEAD.length - CLOSING.length - CUT.length - 3;
  let cut = false;
  for (const message of messages.toReversed()) {
    const text = shown(message);
    if (text === undefined) continue;
    if (text.length + 1 > left) {
      cut = true;
      break;
    }
    left -= text.length + 1;
    lines.unshift(text);
  }
  if (lines.length === 0) return undefined;
  return [HEAD, ...(cut ? [CUT] : []), ...lines, CLOSING].join("\n");
}

function shown({ active, role, content, toolCalls = [], toolName }: MessageRecord): string | undefined {
  if (!active || role === "system") return undefined;
  if (role === "tool") return `result of ${toolName ?? "a tool"}: ${within(content, RESULT_CHARS)}`;
  const calls = toolCalls.map((call) => `called ${call.name} ${within(call.arguments, CALL_CHARS)}`);
  const said = content.trim() === "" ? [] : [`${role}: ${within(content, MESSAGE_CHARS)}`];
  const all = [...said, ...calls];
  return all.length === 0 ? undefined : all.join("\n");
}

/** A text that cannot close the block, cut where it is long. */
function within(text: string, most: number): string {
  const own = text.replace(MARKS, "[quoted: $1EARLIER IN THIS CONVERSATION");
  return own.length <= most ? own : `${own.slice(0, most).toWellFormed()} (${own.length - most} more characters)`;
}
