import { canonicalJson } from "../../base/json/canonical-json.js";
import { isRecord } from "../../base/json/record.js";
import type { AnyTool } from "./define.js";
import { isType, resolveSchema, typeNames } from "./json-schema.js";
import { type ParamSchema, paramSchema } from "./schema.js";

/** Levels of nested values that arguments may have: what is stored, compared and hashed later is walked down to its end. */
const NESTING = 200;

/** Arguments that the tool accepts, or the one text that tells the model what is wrong with them. */
export type Arguments =
  | { readonly ok: true; readonly params: unknown; readonly canonical: string; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly fault: "json" | "schema"; readonly text: string };

/** Parse and coerce what a model wrote as arguments of `tool` (core part, 2.4). */
export function parseArguments(tool: AnyTool, text: string): Arguments {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, fault: "json", text: parsed.text };
  if (isTooDeep(parsed.value))
    return { ok: false, fault: "json", text: invalidJson(`More than ${NESTING} levels of nesting`, text.length) };
  const ignored: string[] = [];
  const root = paramSchema(tool);
  const value = coerce(parsed.value, root, { root, ignored, path: "", depth: 0 });
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

/** Where a value stands that is coerced. */
interface CoercePlace {
  /** What references are looked up in. */
  readonly root: ParamSchema;
  /** Members that no schema knows, as they are found. */
  readonly ignored: string[];
  readonly path: string;
  readonly depth: number;
}

/** Values within one another that are coerced: a schema may lead back to itself. */
const DEPTH = 100;

function coerce(value: unknown, given: ParamSchema, place: CoercePlace): unknown {
  const schema = resolveSchema(given, place.root);
  const types = typesOf(schema, place.root);
  if (types.length === 0 || place.depth > DEPTH) return value;
  const fitted = types.some((type) => isType(value, type)) ? value : convert(value, types);
  if (Array.isArray(fitted) && types.includes("array")) {
    const inner = { ...place, path: `${place.path}[]`, depth: place.depth + 1 };
    return fitted.map((item) => coerce(item, schema.items ?? {}, inner));
  }
  return isRecord(fitted) && types.includes("object") ? coerceObject(fitted, schema, place) : fitted;
}

function coerceObject(value: Record<string, unknown>, schema: ParamSchema, place: CoercePlace): unknown {
  const { properties } = schema;
  if (!isRecord(properties)) return value;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const expected = Object.hasOwn(properties, key) ? properties[key] : otherMember(schema);
    const name = place.path === "" ? key : `${place.path}.${key}`;
    if (expected === undefined) place.ignored.push(name);
    else if (inner !== null || required.includes(key))
      entries.push([key, coerce(inner, expected, { ...place, path: name, depth: place.depth + 1 })]);
  }
  return Object.fromEntries(entries);
}

/** Keywords by which a schema may say more of its members than its properties do. */
const SAYS_MORE = ["allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"] as const;

/** What a member other than a property has to be; undefined: the schema does not know it. */
function otherMember(schema: ParamSchema): ParamSchema | undefined {
  const others = schema.additionalProperties;
  if (isRecord(others)) return others;
  return others === true || SAYS_MORE.some((keyword) => Object.hasOwn(schema, keyword)) ? {} : undefined;
}

/** `seen`: alternatives may lead back to one another. */
function typesOf(schema: ParamSchema, root: ParamSchema, seen = new Set<ParamSchema>()): readonly string[] {
  if (schema.type !== undefined) return typeNames(schema);
  if (seen.has(schema)) return [];
  seen.add(schema);
  const among: readonly ParamSchema[] = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  return among.flatMap((one) => typesOf(resolveSchema(one, root), root, seen));
}

/** Walks level by level: a value may be deeper than calls can be. */
function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > NESTING) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
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
  return isType(parsed, type) && !isTooDeep(parsed) ? parsed : undefined;
}

const YES: ReadonlySet<string> = new Set(["true", "1", "yes"]);
const NO: ReadonlySet<string> = new Set(["false", "0", "no"]);
