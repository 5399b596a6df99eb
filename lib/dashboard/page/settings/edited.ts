import type { SettingKey } from "./types.js";

/** What a setting can be set to, where that is one of a few values. */
export function choicesOf({ type, of }: Pick<SettingKey, "type" | "of">): readonly string[] | undefined {
  if (type === "boolean") return ["true", "false"];
  return type === "choice" ? (of ?? []) : undefined;
}

/** A value as its field holds it. */
export function toField({ type }: Pick<SettingKey, "type">, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (type === "strings") return Array.isArray(value) ? value.join("\n") : String(value);
  if (type === "any") return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  return String(value);
}

export type FromField =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** What a field holds as it is sent. Null takes the key out of the file. */
export function fromField({ type, min, max }: Pick<SettingKey, "type" | "min" | "max">, text: string): FromField {
  const trimmed = text.trim();
  if (trimmed === "") return { ok: true, value: null };
  switch (type) {
    case "boolean":
      return { ok: true, value: trimmed === "true" };
    case "integer":
    case "number":
      return number(trimmed, { whole: type === "integer", min, max });
    case "strings":
      return { ok: true, value: trimmed.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()])) };
    case "any":
      return json(trimmed);
    case "limit":
      return { ok: true, value: /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed };
    case "string":
    case "choice":
      return { ok: true, value: trimmed };
  }
}

interface Bounds {
  readonly whole: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

function number(
  text: string,
  { whole, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Bounds,
): FromField {
  const value = Number(text);
  if (!Number.isFinite(value) || (whole && !Number.isInteger(value)))
    return { ok: false, problem: `This must be a ${whole ? "whole " : ""}number.` };
  if (value < min) return { ok: false, problem: `At least ${min}.` };
  return value > max ? { ok: false, problem: `At most ${max}.` } : { ok: true, value };
}

function json(text: string): FromField {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    /* ok to lose: invalid JSON is meant as the text that it is */
    return { ok: true, value: text };
  }
}

/** Keys by the first word of their names, in the order of the names; those that hold every searched word in name or help. */
export function groups(
  keys: readonly SettingKey[],
  search: string,
): readonly (readonly [name: string, keys: readonly SettingKey[]])[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = keys.filter(({ key, help }) =>
    words.every((word) => key.toLowerCase().includes(word) || help.toLowerCase().includes(word)),
  );
  const found = new Map<string, SettingKey[]>();
  for (const key of fitting.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const name = key.key.split(".", 1)[0] ?? "";
    found.set(name, [...(found.get(name) ?? []), key]);
  }
  return [...found];
}
