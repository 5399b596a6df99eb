import { isHttpAddress } from "../../base/net/http-address.js";
import type { ConfigKey, KeyKind } from "../config/config.js";

export type Coerced = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly wanted: string };

const YES = new Set(["true", "yes", "on", "1"]);
const NO = new Set(["false", "no", "off", "0"]);

/** Bring a value from YAML or the environment into the kind of its key, or tell what the kind wants. */
export function coerce(kind: KeyKind, value: unknown): Coerced {
  switch (kind.type) {
    case "boolean":
      return asBoolean(value);
    case "integer":
    case "number":
      return asNumber(kind, value);
    case "string":
      return typeof value === "string" || typeof value === "number"
        ? { ok: true, value: String(value) }
        : { ok: false, wanted: "a text" };
    case "choice":
      return asChoice(kind.of, value);
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string")
        ? { ok: true, value }
        : { ok: false, wanted: "a list of strings" };
    case "limit":
      return asLimit(value);
    case "any":
      return { ok: true, value };
  }
}

/** Also for a value that a person writes: a text must have the form that its key declares. Empty and `${VARIABLE}` pass. */
export function fitting({ kind, form }: Pick<ConfigKey<unknown>, "kind" | "form">, value: unknown): Coerced {
  const read = coerce(kind, value);
  if (!read.ok || form === undefined || read.value === "" || /\$\{/.test(String(read.value))) return read;
  return isHttpAddress(String(read.value)) ? read : { ok: false, wanted: ADDRESS };
}

const ADDRESS = "an http or https URL such as https://host/v1";

function asBoolean(value: unknown): Coerced {
  if (typeof value === "boolean") return { ok: true, value };
  const word = String(value).toLowerCase();
  if (YES.has(word)) return { ok: true, value: true };
  return NO.has(word) ? { ok: true, value: false } : { ok: false, wanted: "true or false" };
}

function asNumber(kind: { type: "integer" | "number"; min?: number; max?: number }, value: unknown): Coerced {
  const number =
    typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  const whole = kind.type === "integer";
  const fits =
    Number.isFinite(number) &&
    (!whole || Number.isSafeInteger(number)) &&
    number >= (kind.min ?? -Infinity) &&
    number <= (kind.max ?? Infinity);
  if (fits) return { ok: true, value: number };
  const range =
    kind.min === undefined && kind.max === undefined ? "" : ` from ${kind.min ?? "any"} to ${kind.max ?? "any"}`;
  return { ok: false, wanted: `${whole ? "a whole number" : "a number"}${range}` };
}

function asLimit(value: unknown): Coerced {
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (word === "" || word === "unlimited") return { ok: true, value: word };
  const number = asNumber({ type: "integer", min: 1 }, value);
  return number.ok ? number : { ok: false, wanted: "a whole number of at least 1, or unlimited" };
}

function asChoice(of: readonly string[], value: unknown): Coerced {
  // YAML reads a bare `off` or `on` as a boolean, and `true` is one; where its word is one of the choices it means the word.
  const words = typeof value === "boolean" ? [String(value), value ? "on" : "off"] : [String(value)];
  const word = words.find((one) => of.includes(one));
  return word !== undefined ? { ok: true, value: word } : { ok: false, wanted: `one of ${of.join(", ")}` };
}

/** Whether the dotted `path` is the key itself, matches its `*`, or lies inside an `any` key. */
export function matchesKey(key: ConfigKey<unknown>, path: string): boolean {
  const words = key.key.split(".");
  const given = path.split(".");
  if (key.kind.type === "any" ? given.length < words.length : given.length !== words.length) return false;
  return words.every((word, at) => word === "*" || word === given[at]);
}
