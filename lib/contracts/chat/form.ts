/** Forms: fields that a tool or an MCP server asks a person to fill in, and the one check of what was filled in. */
import type { EpochMs, SessionId } from "../../base/units.js";

export interface FormChoice {
  readonly value: string;
  readonly label: string;
}

export type FormValue = string | number | boolean | readonly string[];
export type FormContent = Readonly<Record<string, FormValue>>;

/** One field. Bounds are inclusive. */
export interface FormField {
  /** Key in the content of the answer. */
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly type: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  /** Of `choice` and `choices`. */
  readonly choices?: readonly FormChoice[];
  /** Value of a field that is left out. */
  readonly default?: FormValue;
  readonly required: boolean;
  readonly format?: "email" | "uri" | "date" | "date-time";
  /** Of a number, or the count of `choices`. */
  readonly min?: number;
  readonly max?: number;
  /** In characters. */
  readonly min_length?: number;
  readonly max_length?: number;
  /** Regular expression that is found in the text. One that may take long to match is not checked here. */
  readonly pattern?: string;
}

/** What a form shows. Without fields it asks for consent: to open `url`, or to the message. */
export interface FormAsked {
  readonly title: string;
  /** MCP server or tool that asks. */
  readonly from: string;
  readonly message: string;
  readonly fields: readonly FormField[];
  /** Address that the person is asked to open. The program never opens it without their consent. */
  readonly url?: string;
  /** The asker stops waiting then. */
  readonly waits_until?: EpochMs;
  /** The question survives a restart of the owner. */
  readonly park?: true;
}

export const FORM_ACTIONS = ["accept", "decline", "cancel"] as const;
export type FormAction = (typeof FORM_ACTIONS)[number];

/** What a front end answers. `content` counts for `accept` only. */
export interface FormGiven {
  readonly action: FormAction;
  readonly content?: FormContent | undefined;
}

/** Why no person answered. `parked`: the question stays open, and its answer goes to the handler of its ticket. */
export type FormUnanswered = "nobody" | "timeout" | "interrupted" | "parked";

/** What the asker gets: content that passed `checkForm`, empty unless accepted. Without a person: `decline` where none can be asked, else `cancel`. */
export interface FormAnswer {
  readonly action: FormAction;
  readonly content: FormContent;
  readonly why?: FormUnanswered;
}

/**
 * What an answer needs that comes when the call that asked has ended: given back with it to the handler of `kind`. `data` is a JSON value of
 * at most 80 KiB that is stored, never shown, never logged.
 */
export interface ParkTicket {
  readonly kind: string;
  readonly data: unknown;
}

/** A parked question was answered, expired, or had been when the owner started. */
export interface ResumedForm {
  readonly request: string;
  readonly session: SessionId;
  /** `data` of its ticket. */
  readonly ticket: unknown;
  readonly answer: FormAnswer;
  /** It was handed over before, by an owner that ended meanwhile: what it asks for may have been done. */
  readonly again: boolean;
}

/** Answers of questions whose call has ended. */
export interface QuestionParking {
  /**
   * Take the answers for tickets of this kind, also those that were given before. An answer is handed over until the handler resolves or
   * rejects; after a crash in between, by the next owner, with `again`. @returns stops it
   */
  resume(kind: string, handler: (answered: ResumedForm) => Promise<void>): () => void;
}

/** First fault of each field, by its name. */
export type FormFaults = Readonly<Record<string, string>>;

export type CheckedForm =
  | { readonly ok: true; readonly values: FormContent }
  | { readonly ok: false; readonly faults: FormFaults };

/** The check that counts: defaults for fields that are left out, then every field. Names that the form does not have are faults. */
export function checkForm(fields: readonly FormField[], content: Readonly<Record<string, unknown>>): CheckedForm {
  const values: [string, FormValue][] = [];
  const faults: [string, string][] = [];
  const known = new Set(fields.map(({ name }) => name));
  for (const name of Object.keys(content)) if (!known.has(name)) faults.push([name, "unknown field"]);
  for (const field of fields) {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
    const checked = checkField(field, value);
    if ("fault" in checked) faults.push([field.name, checked.fault]);
    else if (checked.value !== undefined) values.push([field.name, checked.value]);
  }
  return faults.length === 0
    ? { ok: true, values: Object.fromEntries(values) }
    : { ok: false, faults: Object.fromEntries(faults) };
}

export type CheckedField = { readonly value: FormValue | undefined } | { readonly fault: string };

/** One field. `undefined` and an empty text of a field that is not required mean: left out. */
export function checkField(field: FormField, given: unknown): CheckedField {
  const value = given === undefined || given === null ? field.default : given;
  const empty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  if (empty && !mayBeEmpty(field, value))
    return field.required ? { fault: field.type === "choices" ? "choose at least one" : "required" } : LEFT_OUT;
  switch (field.type) {
    case "text":
      return checkText(field, value);
    case "number":
    case "integer":
      return checkNumber(field, value);
    case "boolean":
      return typeof value === "boolean" ? { value } : { fault: "must be yes or no" };
    case "choice":
      return checkChoice(field, value);
    case "choices":
      return checkChoices(field, value);
  }
}

const LEFT_OUT = { value: undefined } as const;

/** A list that may have no entry is an answer, and so is an empty text that was asked for without a least length. */
const mayBeEmpty = (field: FormField, value: unknown): boolean =>
  field.type === "choices" && Array.isArray(value) && (field.min ?? (field.required ? 1 : 0)) === 0;

function checkText(field: FormField, value: unknown): CheckedField {
  if (typeof value !== "string") return { fault: "must be text" };
  const length = [...value].length;
  const { min_length: least, max_length: most } = field;
  if (least !== undefined && length < least) return { fault: `at least ${counted(least, "character")}` };
  if (most !== undefined && length > most) return { fault: `at most ${counted(most, "character")}` };
  const wrong = field.format === undefined ? undefined : FORMATS[field.format](value);
  if (wrong !== undefined) return { fault: wrong };
  const pattern = field.pattern === undefined ? undefined : toPattern(field.pattern);
  if (pattern !== undefined && length <= PATTERN_TEXT && !pattern.test(value))
    return { fault: `must match ${field.pattern}` };
  return { value };
}

function checkNumber(field: FormField, value: unknown): CheckedField {
  const { min, max, type } = field;
  if (typeof value !== "number" || !Number.isFinite(value)) return { fault: "must be a number" };
  if (type === "integer" && !Number.isSafeInteger(value)) return { fault: "must be a whole number" };
  if (min !== undefined && value < min) return { fault: `at least ${min}` };
  if (max !== undefined && value > max) return { fault: `at most ${max}` };
  return { value };
}

function checkChoice({ choices = [] }: FormField, value: unknown): CheckedField {
  return typeof value === "string" && choices.some((one) => one.value === value)
    ? { value }
    : { fault: `must be one of ${listed(choices)}` };
}

function checkChoices({ choices = [], min, max }: FormField, value: unknown): CheckedField {
  const known = new Set(choices.map((one) => one.value));
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string" && known.has(one)))
    return { fault: `must be some of ${listed(choices)}` };
  const chosen: readonly string[] = [...new Set<string>(value)];
  if (min !== undefined && chosen.length < min) return { fault: `choose at least ${min}` };
  if (max !== undefined && chosen.length > max) return { fault: `choose at most ${max}` };
  return { value: chosen };
}

const LISTED = 8;
function listed(choices: readonly FormChoice[]): string {
  const labels = choices.map(({ label }) => label);
  return labels.length > LISTED ? `${labels.slice(0, LISTED).join(", ")}, …` : labels.join(", ");
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const FORMATS: Readonly<Record<NonNullable<FormField["format"]>, (text: string) => string | undefined>> = {
  email: (text) =>
    /^[^\s@<>]{1,64}@[^\s@<>.]+(?:\.[^\s@<>.]+)*$/u.test(text) ? undefined : "must be an email address",
  uri: (text) =>
    /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text) ? undefined : "must be a full address, like https://…",
  date: (text) => (isDate(text) ? undefined : "must be a date: YYYY-MM-DD"),
  "date-time": (text) => (isDateTime(text) ? undefined : "must be a date and time: 2030-01-31T12:00:00Z"),
};

function isDate(text: string): boolean {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === "") return false;
  const date = new Date(Date.UTC(2000, Number(month) - 1, 1));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const isDateTime = (text: string): boolean =>
  /^.{10}[Tt ]/.test(text) && isDate(text.slice(0, 10)) && TIME.test(text.slice(11));

/** Longest text that a pattern of a server is tried on, and the longest pattern. */
const PATTERN_TEXT = 256;
const PATTERN_CHARS = 200;
/** With more of them a text of that length may take seconds. */
const REPEATS = 2;

/** The pattern, unless it cannot be read or might take long: repeats of groups and many repeats are left to the server. */
function toPattern(source: string): RegExp | undefined {
  if (source.length > PATTERN_CHARS) return undefined;
  const bare = source.replace(/\\[^1-9k]/gu, "x").replace(/\[(?:[^\]\\]|\\.)*\]/gu, "x");
  if (/\)[*+{]|\\[1-9k]/u.test(bare) || (bare.match(/[*+]|\{\d*,/gu) ?? []).length > REPEATS) return undefined;
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined; // ok to lose: the server checks its own pattern
  }
}
