import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { ApprovalAsked, ApprovalOption } from "../../lib/contracts/chat/questions.js";
import { diffsOf, textContent, toKind } from "./tool-calls.js";

/** Each answer as an editor shows it. What an answer stores stands behind its name. */
const NAMES: Readonly<Record<ApprovalOption, { readonly name: string; readonly kind: PermissionOption["kind"] }>> = {
  once: { name: "Allow once", kind: "allow_once" },
  session: { name: "Allow for this session", kind: "allow_always" },
  edits: { name: "Allow all edits in this project for this session", kind: "allow_always" },
  project: { name: "Always allow in this project", kind: "allow_always" },
  always: { name: "Always allow", kind: "allow_always" },
  deny: { name: "Deny", kind: "reject_once" },
};

/** The question of an approval, with the answers that it offers and no others. */
export function toPermissionRequest(sessionId: string, asked: ApprovalAsked): RequestPermissionRequest {
  const reasons = asked.reasons.map(({ text }) => text).filter((text) => text !== "");
  const diffs = asked.diff === undefined ? [] : diffsOf(asked.diff, asked.cwd);
  const why = reasons.length === 0 ? [] : [textContent(reasons.join("\n"))];
  return {
    sessionId,
    toolCall: {
      toolCallId: asked.call_id,
      title: asked.command,
      kind: toKind(asked.tool),
      status: "pending",
      content: [...diffs, ...why],
    },
    options: asked.options.map((option) => ({
      optionId: option,
      name: nameOf(option, asked),
      kind: NAMES[option].kind,
    })),
  };
}

function nameOf(option: ApprovalOption, { rules }: ApprovalAsked): string {
  const stored = option === "session" || option === "project" || option === "always" ? (rules[option] ?? []) : [];
  return stored.length === 0 ? NAMES[option].name : `${NAMES[option].name}: ${stored.join("; ")}`;
}

/** What the person chose. A question that was closed, and an answer that was not offered, allow nothing. */
export function toAnswer({ outcome }: RequestPermissionResponse, asked: ApprovalAsked): ApprovalOption {
  const chosen = outcome.outcome === "selected" ? asked.options.find((one) => one === outcome.optionId) : undefined;
  return chosen ?? "deny";
}
