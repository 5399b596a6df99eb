import type { FormContent, FormField, FormValue } from "../../../contracts/chat/form.js";
import { fieldText, lineValue } from "../../../contracts/chat/form-text.js";

/** What the inputs of a form hold: texts as they are typed, booleans as "yes" or "no", several choices as a list. */
export type Filled = Readonly<Record<string, string | readonly string[]>>;

/** Defaults are filled in and can be changed. */
export const startValues = (fields: readonly FormField[]): Filled =>
  Object.fromEntries(fields.map((field) => [field.name, startValue(field)]));

function startValue(field: FormField): string | readonly string[] {
  const { type, default: given } = field;
  if (type === "choices") return typeof given === "object" ? given : [];
  return type === "choice" ? String(given ?? "") : fieldText(field, given);
}

/** Content of the answer. A field that was emptied is sent as empty, so that its default does not come back. */
export function contentOf(fields: readonly FormField[], values: Filled): FormContent {
  return Object.fromEntries(fields.flatMap((field) => givenIn(field, values[field.name])));
}

function givenIn(
  field: FormField,
  value: string | readonly string[] | undefined,
): readonly (readonly [string, FormValue])[] {
  if (value === undefined) return [];
  const { name, type } = field;
  if (typeof value === "object") return value.length === 0 && field.default === undefined ? [] : [[name, value]];
  if (value.trim() === "") return field.default === undefined ? [] : [[name, ""]];
  if (type === "choice") return [[name, value]];
  const read = lineValue(field, value);
  return typeof read === "string" || typeof read === "number" || typeof read === "boolean" ? [[name, read]] : [];
}
