import { isRecord } from "./record.js";

type Members = Readonly<Record<string, unknown>>;

/**
 * The JSON object in an answer of a model: what stands between the first `{` and the last `}`, or between those of its code block when prose
 * around the block has braces too. Undefined without one.
 */
export function parseModelJson(answer: string): Members | undefined {
  const block = /^[^\S\n]*```[^\n]*\n([\s\S]*)^[^\S\n]*```/m.exec(answer)?.[1];
  return objectFrom(answer) ?? (block === undefined ? undefined : objectFrom(block));
}

function objectFrom(text: string): Members | undefined {
  const begin = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (begin < 0 || end < begin) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(begin, end + 1));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // invalid JSON is not an object: the answer that was asked for
  }
}

/** A member that is a text and not blank, trimmed; else "". Only own members count: a model may well write `__proto__`. */
export function readTextMember(members: Members, name: string): string {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof value === "string" ? value.trim() : "";
}
