import { isRecord } from "../../base/json/record.js";

/**
 * A rule as it is typed: a short text, or a map in braces, a list in brackets or a text in double quotes as a rule file holds them. Anything
 * else is a text; `parseRuleEntry` says what is wrong with an invalid value.
 */
export async function readRuleText(text: string): Promise<unknown> {
  const trimmed = text.trim();
  if (trimmed.startsWith('"')) return unquote(trimmed) ?? trimmed;
  if (!trimmed.startsWith("{") && !looksLikeData(trimmed)) return trimmed;
  const { parse } = await import("yaml");
  try {
    const value: unknown = parse(trimmed, { customTags: [], maxAliasCount: 0 });
    const meant =
      looksLikeData(trimmed) || (isRecord(value) && ["command", "line", "tool"].some((name) => name in value));
    return meant && typeof value === "object" && value !== null ? value : trimmed;
  } catch {
    return trimmed; // `{ echo a; }` is a command line
  }
}

const MAP_IN_BRACES = /^\{(?!\s)|^\{\s*(?:["']?[\w.-]+["']?\s*:(?:\s|$)|\}$)/;
const LIST_IN_BRACKETS = /^\[(?![\s[])|^\[\[(?!\s)|^-(?:\s|$)/;
const MAP_OF_LINES = /^[A-Za-z_][\w-]*:\s+\S/;

/** Whether a text was meant as a map or a list. `{ echo a; }`, `[ -f x ]` and `[[ -f x ]]` are command lines: a blank follows the bracket. */
export const looksLikeData = (text: string): boolean =>
  MAP_IN_BRACES.test(text) || LIST_IN_BRACKETS.test(text) || MAP_OF_LINES.test(text);

/** The text that a whole JSON string stands for; undefined: it is not one. */
function unquote(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined; // `"my program" --flag` is a command line
  }
}
