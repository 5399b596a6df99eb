import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { MessageJson } from "../../lib/contracts/wire/shapes/sessions.js";
import { locationsOf, parseArgs, resultContent, titleOf, toKind, toStatus } from "./tool-calls.js";
import { toAgentChunk, toUserChunk } from "./updates.js";

/** A stored message with the previews of its calls, as `session.page` has it. */
export type PagedMessage = MessageJson & { readonly call_previews?: Readonly<Record<string, string>> };

/** A stored conversation as an editor would have been sent it while it was held. */
export function toHistory(messages: readonly PagedMessage[], cwd: string): readonly SessionUpdate[] {
  return messages.flatMap((message) => historyOf(message, cwd));
}

function historyOf(message: PagedMessage, cwd: string): readonly SessionUpdate[] {
  const { role, content, kind, reasoning, tool_calls: calls = [], call_previews: previews = {} } = message;
  if (kind !== undefined || role === "system") return [];
  if (role === "user") return content === "" ? [] : [toUserChunk(content)];
  if (role === "tool") {
    const { tool_call_id: call = "", tool_name: tool = "", status = "ok" } = message;
    const shown = resultContent(tool, content, cwd);
    return [{ sessionUpdate: "tool_call_update", toolCallId: call, status: toStatus(status), content: shown }];
  }
  return [
    ...(reasoning === undefined || reasoning === ""
      ? []
      : [{ sessionUpdate: "agent_thought_chunk" as const, content: { type: "text" as const, text: reasoning } }]),
    ...(content === "" ? [] : [toAgentChunk(content)]),
    ...calls.map((call): SessionUpdate => {
      const args = parseArgs(call.arguments);
      return {
        sessionUpdate: "tool_call",
        toolCallId: call.id,
        title: titleOf(call.name, previews[call.id]),
        kind: toKind(call.name),
        status: "in_progress",
        locations: locationsOf(args, cwd),
        rawInput: args,
      };
    }),
  ];
}
