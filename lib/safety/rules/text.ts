import { isRecord } from "../../base/record.js";

/** A rule as it is typed: a short text, or a map in braces as a rule file holds it. What is no such map is a text. */
export async function readRuleText(text: string): Promise<unknown> {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{")) return trimmed;
  const { parse } = await import("yaml");
  try {
    const value: unknown = parse(trimmed, { customTags: [], maxAliasCount: 0 });
    return isRecord(value) && ["command", "line", "tool"].some((name) => name in value) ? value : trimmed;
  } catch {
    return trimmed; // `{ echo a; }` is a command line
  }
}
