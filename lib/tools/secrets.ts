import type { ToolCall } from "../proto/model.js";
import { placeholders, type Resolved } from "../safety/redact.js";
import type { AnyTool, ToolContext } from "./define.js";

export type Given = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** The arguments of a call as its tool gets them: placeholders of secrets kept, replaced by the true values, or refused (core part, 22.4). */
export function argumentsFor(tool: AnyTool, call: ToolCall, reveal: (text: string) => Resolved): Given {
  const { arguments: text } = call;
  if (tool.secrets === undefined || tool.secrets === "asked" || placeholders(text).length === 0) return { ok: true, text };
  if (tool.secrets === "refused") return { ok: false, why: `Error: a secret cannot be handed to this tool (${tool.name}). Leave it out.` };
  try {
    return {
      ok: true,
      text: JSON.stringify(JSON.parse(text), (_key, value: unknown) => (typeof value === "string" ? reveal(value).text : value)),
    };
  } catch {
    return { ok: true, text }; // the pipeline tells the model that its arguments are no JSON
  }
}

/** A command or script with the true values, after the permission for what shows the placeholders. */
export function withTrueValues(text: string, ctx: ToolContext): Given {
  const { text: revealed, unknown } = ctx.reveal(text);
  if (unknown === undefined || ctx.redact(unknown) !== unknown) return { ok: true, text: revealed }; // one of nobody is ordinary text
  return { ok: false, why: `the value of ${unknown} is not known any more; read the source of the secret again, then repeat` };
}
