import type { ToolCall } from "../../contracts/models/model.js";
import { placeholders, type ResolvedText } from "../../safety/redact/redact.js";
import { parseJson } from "./coerce.js";
import type { AnyTool, ToolContext } from "./define.js";

export type SecretText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/**
 * The arguments of a call as its tool gets them: placeholders of secrets kept, replaced by the true values, or refused (core part, 22.4).
 * Placeholders are looked for in the decoded JSON: many servers send every character beyond ASCII as an escape.
 */
export function argumentsFor(tool: AnyTool, call: ToolCall, reveal: (text: string) => ResolvedText): SecretText {
  const { arguments: text } = call;
  if (tool.secrets === undefined || tool.secrets === "asked" || !/secret:|\\/.test(text)) return { ok: true, text };
  const decoded = parseJson(text);
  if (!decoded.ok || placeholders(JSON.stringify(decoded.value)).length === 0) return { ok: true, text };
  if (tool.secrets === "refused")
    return { ok: false, why: `Error: a secret cannot be handed to this tool (${tool.name}). Leave it out.` };
  const revealed = JSON.stringify(decoded.value, (_key, value: unknown) =>
    typeof value === "string" ? reveal(value).text : value,
  );
  return { ok: true, text: revealed };
}

/** A command or script with the true values, after the permission for what shows the placeholders. */
export function withTrueValues(text: string, ctx: ToolContext): SecretText {
  const { text: revealed, unknown } = ctx.reveal(text);
  if (unknown === undefined || ctx.redact(unknown) !== unknown) return { ok: true, text: revealed }; // an unknown placeholder is ordinary text
  return {
    ok: false,
    why: `the value of ${unknown} is not known any more; read the source of the secret again, then repeat`,
  };
}
