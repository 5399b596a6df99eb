import { type EpochMs, toIso } from "../base/units.js";
import { TRACE_MARK } from "../board/worker-process/runner-files.js";
import type { NewMessage } from "../contracts/chat/chat.js";
import type { ToolCall, Usage } from "../contracts/models/model.js";

const TEXT_CHARS = 200;

/** Lines of the task log about messages that were stored: one for each answer of the model, each call and each result. */
export function traceMessages(
  messages: readonly NewMessage[],
  at: EpochMs,
  usage: Usage | undefined,
): readonly string[] {
  return messages.flatMap((message) => linesOf(message, usage)).map((line) => marked(at, line));
}

/** The line about tokens that no stored message tells. */
export const traceUsage = (at: EpochMs, usage: Usage): string => marked(at, `turn${spentIn(usage)}`);

const marked = (at: EpochMs, line: string): string => `${TRACE_MARK}${toIso(at).slice(11, 19)} ${line}`;

const spentIn = ({ input, cacheRead, cacheWrite, output }: Usage): string =>
  ` (${input + cacheRead + cacheWrite} in, ${output} out)`;

function linesOf(message: NewMessage, usage: Usage | undefined): readonly string[] {
  if (message.role === "tool") return [resultLine(message)];
  if (message.role !== "assistant") return [];
  const calls = message.toolCalls ?? [];
  const spent = usage === undefined ? "" : spentIn(usage);
  const text = clip(message.content);
  return [
    `model${spent}: ${text === "" ? `${calls.length} ${calls.length === 1 ? "call" : "calls"}` : text}`,
    ...calls.map(callLine),
  ];
}

const callLine = ({ name, arguments: json }: ToolCall): string => `call ${name} ${clip(json)}`.trimEnd();

function resultLine({ toolName = "tool", status = "ok", durationMs, content }: NewMessage): string {
  const took = durationMs === undefined ? "" : ` in ${(durationMs / 1000).toFixed(1)} s`;
  return `result ${toolName} ${status}${took}: ${clip(content)}`;
}

/** One line without control characters. */
function clip(text: string): string {
  const one = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return one.length <= TEXT_CHARS ? one : `${[...one].slice(0, TEXT_CHARS - 1).join("")}…`;
}
