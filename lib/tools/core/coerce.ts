import { canonicalJson } from "../../base/json/canonical-json.js";
import { isRecord } from "../../base/json/record.js";
import type { AnyTool } from "./define.js";
import { type ParamSchema, paramSchema } from "./schema.js";

/** Arguments that the tool accepts, or the one text that tells the model what is wrong with them. */
export type Arguments =
  | { readonly ok: true; readonly params: unknown; readonly canonical: string; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly fault: "json" | "schema"; readonly text: string };

/** Parse and coerce what a model wrote as arguments of `tool` (core part, 2.4). */
export function parseArguments(tool: AnyTool, text: string): Arguments {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, fault: "json", text: parsed.text };
  const ignored: string[] = [];
  const value = coerce(parsed.value, paramSchema(tool), ignored);
  const checked = tool.params.safeParse(value);
  if (checked.success) return { ok: true, params: checked.data, canonical: canonicalJson(value), ignored };
  const issue = checked.error.issues[0];
  const path = issue?.path ?? [];
  const error = `Invalid argument '${path.map(String).join(".") || "arguments"}' of ${tool.name}: ${issue?.message ?? "not accepted"}; got ${kindAt(value, path)}`;
  return { ok: false, fault: "schema", text: JSON.stringify({ error, code: "E_INVALID_PARAMS" }) };
}

/** The JSON value that a model wrote as arguments. Without text it is an empty object. */
export function parseJson(text: string): { ok: true; value: unknown } | { ok: false; text: string } {
  if (text.trim() === "") return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value: typeof value === "string" ? unwrap(value) : (value ?? {}) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, text: invalidJson(message, text.length) };
  }
}

/** Some models write the object as a JSON text inside a JSON text. */
function unwrap(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // a plain text: the schema names what is expected instead
  }
}

function invalidJson(message: string, length: number): string {
  const place = /at position (\d+)/.exec(message)?.[1] ?? String(length);
  const what = message
    .replace(/ (in JSON )?at position \d+.*$/s, "")
    .replace(/^Unexpected token (.).*$/s, "Unexpected token $1");
  return (
    `Error: Invalid JSON arguments. ${what} at character ${place}. For a tool with no required parameters use an empty object: {}. ` +
    "Retry with valid JSON."
  );
}

function kindAt(root: unknown, path: readonly PropertyKey[]): string {
  let value = root;
  for (const key of path) value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  if (value === undefined) return "nothing";
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function coerce(value: unknown, schema: ParamSchema, ignored: string[], path = ""): unknown {
  const types = typesOf(schema);
  if (types.length === 0) return value;
  const fitted = types.some((type) => isType(value, type)) ? value : convert(value, types);
  if (Array.isArray(fitted) && types.includes("array")) {
    return fitted.map((item) => coerce(item, schema.items ?? {}, ignored, `${path}[]`));
  }
  return isRecord(fitted) && types.includes("object") ? coerceObject(fitted, schema, ignored, path) : fitted;
}

function coerceObject(value: Record<string, unknown>, schema: ParamSchema, ignored: string[], path: string): unknown {
  const properties = schema.properties;
  if (properties === undefined) return value;
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const expected = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const name = path === "" ? key : `${path}.${key}`;
    if (expected === undefined) ignored.push(name);
    else if (inner !== null || schema.required?.includes(key))
      entries.push([key, coerce(inner, expected, ignored, name)]);
  }
  return Object.fromEntries(entries);
}

function typesOf(schema: ParamSchema): readonly string[] {
  if (typeof schema.type === "string") return [schema.type];
  if (schema.type !== undefined) return schema.type;
  return (schema.anyOf ?? []).flatMap(typesOf);
}

function isType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

/** The first declared type that the value can be read as without loss; otherwise the value itself, for the schema to refuse. */
function convert(value: unknown, types: readonly string[]): unknown {
  for (const type of types) {
    const made = convertTo(value, type);
    if (made !== undefined) return made;
  }
  return value;
}

function convertTo(value: unknown, type: string): unknown {
  if (type === "string") return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
  if (type === "array" && value !== null && !(typeof value === "string" && value.trim().startsWith("["))) {
    return typeof value === "object" ? [value] : value === undefined ? undefined : [value];
  }
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (type === "boolean") return YES.has(text.toLowerCase()) ? true : NO.has(text.toLowerCase()) ? false : undefined;
  if (type === "integer") return /^-?\d{1,15}(\.0+)?$/.test(text) ? Number(text) : undefined;
  if (type === "number") return text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (type !== "array" && type !== "object") return undefined;
  const parsed = unwrap(text);
  return isType(parsed, type) ? parsed : undefined;
}

const YES: ReadonlySet<string> = new Set(["true", "1", "yes"]);
const NO: ReadonlySet<string> = new Set(["false", "0", "no"]);
