import * as z from "zod";
import {
  checkField,
  type FormContent,
  type FormFaults,
  type FormField,
  type FormValue,
} from "../../../lib/contracts/chat/form.js";
import { fieldText, lineValue } from "../../../lib/contracts/chat/form-text.js";
import { type Editor, EMPTY, insert } from "../../composer/editor.js";
import { sanitize, sanitizeLine } from "../../draw/sanitize.js";

/** What is filled into the fields of a form so far. */
export interface Filled {
  readonly fields: readonly FormField[];
  /** Field that has the keys; after the last one the answers: send, decline, cancel. */
  readonly at: number;
  /** Marked choice of the field, or marked answer. */
  readonly mark: number;
  readonly lines: Readonly<Record<string, Editor>>;
  /** Of fields whose values are chosen, not typed. */
  readonly picks: Readonly<Record<string, FormValue>>;
  readonly faults: FormFaults;
  /** Lines that were refused where fields are asked for one by one: each asks again. */
  readonly tries: number;
}

export const FORM_ANSWERS = [
  ["accept", "Send"],
  ["decline", "Decline"],
  ["cancel", "Cancel"],
] as const;

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const label = z.string().transform(sanitizeLine);
const shown = z.object({
  title: label,
  from: label,
  message: z.string().transform(sanitize),
  url: label.exactOptional(),
  fields: z.array(
    z.object({
      name: z.string(),
      label,
      description: label.exactOptional(),
      type: z.enum(["text", "number", "integer", "boolean", "choice", "choices"]),
      choices: z.array(z.object({ value: z.string(), label })).exactOptional(),
      default: value.exactOptional(),
      required: z.boolean(),
      format: z.enum(["email", "uri", "date", "date-time"]).exactOptional(),
      min: z.number().exactOptional(),
      max: z.number().exactOptional(),
      min_length: z.number().exactOptional(),
      max_length: z.number().exactOptional(),
      pattern: z.string().exactOptional(),
    }),
  ),
});

/** A form as it is shown: texts without control characters. Undefined: this version cannot read it. */
export function readForm(data: unknown): z.output<typeof shown> | undefined {
  const read = shown.safeParse(data);
  return read.success ? read.data : undefined;
}

/** Its value is chosen among what is shown. */
export const isPicked = ({ type }: FormField): boolean => type === "boolean" || type === "choice" || type === "choices";

/** Defaults are filled in and can be changed. */
export function filledWithDefaults(fields: readonly FormField[]): Filled {
  const picks = fields.flatMap((field) =>
    isPicked(field) && field.default !== undefined ? [[field.name, field.default] as const] : [],
  );
  const lines = fields.flatMap((field) =>
    isPicked(field) ? [] : [[field.name, insert(EMPTY, fieldText(field, field.default))] as const],
  );
  const empty = { fields, lines: Object.fromEntries(lines), picks: Object.fromEntries(picks), faults: {}, tries: 0 };
  return { ...empty, at: 0, mark: markOf(empty, 0) };
}

/** What can be chosen in a field. */
export const optionsOf = (field: FormField): readonly { readonly value: FormValue; readonly label: string }[] =>
  field.type === "boolean"
    ? [
        { value: true, label: "yes" },
        { value: false, label: "no" },
      ]
    : (field.choices ?? []);

/** A field begins at its chosen option. */
export function markOf({ fields, picks }: Pick<Filled, "fields" | "picks">, at: number): number {
  const field = fields[at];
  if (field === undefined || !isPicked(field)) return 0;
  return Math.max(
    0,
    optionsOf(field).findIndex((one) => isChosen(picks[field.name], one.value)),
  );
}

export const isChosen = (pick: FormValue | undefined, option: FormValue): boolean =>
  typeof pick === "object" ? pick.some((one) => one === option) : pick === option;

/** Content of the answer, and what is wrong with it. A line that was emptied is left out, whatever its default. */
export function contentOf(form: Filled): { readonly content: FormContent; readonly faults: FormFaults } {
  const content: Record<string, FormValue> = {};
  const faults: Record<string, string> = {};
  for (const field of form.fields) {
    const given = givenIn(form, field);
    const checked = checkField(field, given);
    if ("fault" in checked) faults[field.name] = checked.fault;
    else if (checked.value !== undefined) content[field.name] = checked.value;
    else if (given === "" && field.default !== undefined) content[field.name] = "";
  }
  return { content, faults };
}

function givenIn({ lines, picks }: Filled, field: FormField): unknown {
  if (isPicked(field)) return picks[field.name];
  const text = lines[field.name]?.text ?? "";
  return text.trim() === "" ? "" : lineValue(field, text);
}

/** Fault of one field as it is now. */
export function faultOf(form: Filled, field: FormField): string | undefined {
  const checked = checkField(field, givenIn(form, field));
  return "fault" in checked ? checked.fault : undefined;
}

/** What a field holds, in words. */
export const filledText = (form: Filled, field: FormField): string =>
  isPicked(field) ? fieldText(field, form.picks[field.name]) : (form.lines[field.name]?.text ?? "");
