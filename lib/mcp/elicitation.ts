import { isRecord } from "../base/json/record.js";
import type { EpochMs } from "../base/units.js";
import type { FormAnswer, FormAsked, FormChoice, FormField } from "../contracts/chat/form.js";

const FIELDS = 50;
const TEXT_CHARS = 4_000;

/** What a server asks of a person, as a form (extensions part, 2.7). Undefined: it cannot be asked. */
export function formOf(
  server: string,
  params: Readonly<Record<string, unknown>>,
  waitsUntil?: EpochMs,
): FormAsked | undefined {
  const message = textOf(params["message"]).slice(0, TEXT_CHARS);
  const base = {
    title: `${server} asks`,
    from: `MCP server ${server}`,
    message,
    ...(waitsUntil === undefined ? {} : { waits_until: waitsUntil }),
  };
  if (params["mode"] === "url") {
    const url = textOf(params["url"]);
    return /^https?:\/\//i.test(url) && URL.canParse(url) ? { ...base, fields: [], url } : undefined;
  }
  const schema = params["requestedSchema"];
  const properties = isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = isRecord(schema) && Array.isArray(schema["required"]) ? schema["required"] : [];
  const names = Object.keys(properties);
  if (names.length > FIELDS) return undefined;
  const fields = names.map((name) => fieldOf(name, properties[name], required.includes(name)));
  return { ...base, fields };
}

/** Questions of one result that are shown as one form, or the address or message of one. */
export interface AskedTogether {
  readonly ids: readonly string[];
  readonly form: FormAsked;
}

/** Between the number of a question and the name of its field. */
const OF = ".";

/**
 * What a server asks with one result, in as few questions as people can answer together: all forms are one, so that its answer is whole also when it
 * comes after the call has ended. Undefined: something of it cannot be asked.
 */
export function askedTogether(
  server: string,
  requests: readonly (readonly [id: string, params: Readonly<Record<string, unknown>>])[],
): readonly AskedTogether[] | undefined {
  const each: AskedTogether[] = [];
  for (const [id, params] of requests) {
    const form = formOf(server, params);
    if (form === undefined) return undefined;
    each.push({ ids: [id], form });
  }
  const forms = each.filter(({ form }) => form.url === undefined);
  const fields = forms.flatMap(({ form }, at) =>
    form.fields.map((field) => ({ ...field, name: `${at}${OF}${field.name}`, label: `${at + 1}. ${field.label}` })),
  );
  const [first] = forms;
  if (first === undefined || forms.length < 2 || fields.length > FIELDS) return each;
  const message = forms.map(({ form }, at) => `${at + 1}. ${form.message}`).join("\n");
  const joined: FormAsked = { ...first.form, message: message.slice(0, TEXT_CHARS), fields };
  return [{ ids: forms.flatMap(({ ids }) => ids), form: joined }, ...each.filter(({ form }) => form.url !== undefined)];
}

/** The answer to each of these questions. */
export function answersOf(
  ids: readonly string[],
  answer: FormAnswer,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const given = Object.entries(answer.content);
  const partOf = (at: number): FormAnswer => {
    const own = given.filter(([name]) => name.startsWith(`${at}${OF}`));
    const content = Object.fromEntries(own.map(([name, value]) => [name.slice(`${at}${OF}`.length), value]));
    return { ...answer, content };
  };
  return Object.fromEntries(ids.map((id, at) => [id, elicitResult(ids.length === 1 ? answer : partOf(at))]));
}

/** The answer as the server gets it. Without a person to answer: decline. */
export function elicitResult(answer: FormAnswer): Readonly<Record<string, unknown>> {
  return answer.action === "accept" ? { action: "accept", content: answer.content } : { action: answer.action };
}

const FORMATS = ["email", "uri", "date", "date-time"] as const;

function fieldOf(name: string, schema: unknown, required: boolean): FormField {
  const given = isRecord(schema) ? schema : {};
  const description = textOf(given["description"]).slice(0, TEXT_CHARS);
  const fallback = defaultOf(given["default"]);
  return {
    name,
    label: textOf(given["title"]) || name,
    required,
    ...(description === "" ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...kindOf(given),
  };
}

function kindOf(schema: Readonly<Record<string, unknown>>): Omit<FormField, "name" | "label" | "required"> {
  const format = FORMATS.find((one) => one === schema["format"]);
  const choices = choicesOf(schema);
  switch (schema["type"]) {
    case "boolean":
      return { type: "boolean" };
    case "number":
    case "integer":
      return { type: schema["type"], ...bound("min", schema["minimum"]), ...bound("max", schema["maximum"]) };
    case "array": {
      const items = isRecord(schema["items"]) ? (choicesOf(schema["items"]) ?? []) : [];
      return {
        type: "choices",
        choices: items,
        ...bound("min", schema["minItems"]),
        ...bound("max", schema["maxItems"]),
      };
    }
    default:
      if (choices !== undefined) return { type: "choice", choices };
      return {
        type: "text",
        ...(format === undefined ? {} : { format }),
        ...bound("min_length", schema["minLength"]),
        ...bound("max_length", schema["maxLength"]),
        ...(typeof schema["pattern"] === "string" ? { pattern: schema["pattern"] } : {}),
      };
  }
}

/** `enum` with or without names, or titled constants. */
function choicesOf(schema: Readonly<Record<string, unknown>>): readonly FormChoice[] | undefined {
  const { enum: values, enumNames: labels, oneOf, anyOf } = schema;
  if (Array.isArray(values))
    return values.map((value: unknown, at) => ({
      value: String(value),
      label: Array.isArray(labels) && typeof labels[at] === "string" ? labels[at] : String(value),
    }));
  const titled = Array.isArray(oneOf) ? oneOf : anyOf;
  if (!Array.isArray(titled)) return undefined;
  return titled.flatMap((one: unknown) =>
    isRecord(one) && typeof one["const"] === "string"
      ? [{ value: one["const"], label: textOf(one["title"]) || one["const"] }]
      : [],
  );
}

const bound = <K extends string>(key: K, value: unknown): { readonly [P in K]?: number } =>
  typeof value === "number" ? ({ [key]: value } as { readonly [P in K]?: number }) : {}; // the key is the one that was given

function defaultOf(value: unknown): FormField["default"] | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return Array.isArray(value) && value.every((one): one is string => typeof one === "string") ? value : undefined;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
