import { isRecord } from "../../base/json/record.js";

/** A rule as it is typed: a short text, or a map in braces or a text in double quotes as a rule file holds them. Anything else is a text. */
export async function readRuleText(text: string): Promise<unknown> {
  const trimmed = text.trim();
  if (trimmed.startsWith('"')) return unquote(trimmed) ?? trimmed;
  if (!trimmed.startsWith("{")) return trimmed;
  const { parse } = await import("yaml");
  try {
    const value: unknown = parse(trimmed, { customTags: [], maxAliasCount: 0 });
    return isRecord(value) && ["command", "line", "tool"].some((name) => name in value) ? value : trimmed;
  } catch {
    return trimmed; // `{ echo a; }` is a command line
  }
}

/** The text that a whole JSON string stands for; undefined: it is not one. */
function unquote(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined; // `"my program" --flag` is a command line
  }
}
