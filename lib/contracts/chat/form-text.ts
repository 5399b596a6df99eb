/** Fields of a form as lines that a person types, for terminals and chats. */
import { type CheckedField, checkField, type FormField, type FormValue } from "./form.js";

/** Typed to leave out a field, and to end the form, on surfaces without keys for it. */
export const SKIP_WORD = "skip";
export const DECLINE_WORD = "decline";
export const CANCEL_WORD = "cancel";

const YES = new Set(["yes", "y", "true", "on", "1"]);
const NO = new Set(["no", "n", "false", "off", "0"]);

/** What a typed line means for the field. Empty: its default, else left out. */
export function parseField(field: FormField, text: string): CheckedField {
  return text.trim() === "" ? checkField(field, undefined) : checkField(field, lineValue(field, text));
}

/** What a line that is not empty stands for. What cannot be read stays text, and is refused by the check. */
export function lineValue(field: FormField, text: string): unknown {
  const line = text.trim();
  switch (field.type) {
    case "text":
      return field.format === undefined ? text : line;
    case "number":
    case "integer":
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(line) ? Number(line) : line;
    case "boolean":
      return YES.has(line.toLowerCase()) || (NO.has(line.toLowerCase()) ? false : line);
    case "choice":
      return chosen(field, line);
    case "choices":
      return line.split(",").flatMap((one) => (one.trim() === "" ? [] : [chosen(field, one.trim())]));
  }
}

/** By its value, its label or its number in the list. What it is not stays as it is, and is refused. */
function chosen({ choices = [] }: FormField, said: string): string {
  const word = said.toLowerCase();
  const found =
    choices.find(({ value }) => value === said) ??
    choices.find(({ label }) => label.toLowerCase() === word) ??
    choices.find(({ value }) => value.toLowerCase() === word) ??
    (/^\d+$/.test(said) ? choices[Number(said) - 1] : undefined);
  return found?.value ?? said;
}

/** A value in words: labels of choices, yes or no. */
export function fieldText(field: FormField, value: FormValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const labelOf = (one: string) => field.choices?.find((choice) => choice.value === one)?.label ?? one;
  if (typeof value === "object") return value.map(labelOf).join(", ");
  return field.type === "choice" ? labelOf(String(value)) : String(value);
}

/** What may be typed: choices by number, or what its type and bounds admit. */
export function fieldHint(field: FormField): string {
  const { min, max, min_length: least, max_length: most } = field;
  const between = (low: number | undefined, high: number | undefined, unit: string): string =>
    low === undefined && high === undefined
      ? ""
      : low === undefined
        ? `at most ${high}${unit}`
        : high === undefined
          ? `at least ${low}${unit}`
          : `${low} to ${high}${unit}`;
  const join = (...parts: readonly string[]) => parts.filter((part) => part !== "").join(", ");
  switch (field.type) {
    case "text":
      return join(HINTS[field.format ?? "none"], between(least, most, " characters"));
    case "number":
      return join("a number", between(min, max, ""));
    case "integer":
      return join("a whole number", between(min, max, ""));
    case "boolean":
      return "yes or no";
    case "choice":
      return "one of them";
    case "choices":
      return join("any of them, separated by commas", between(min, max, ""));
  }
}

const HINTS = {
  none: "",
  email: "an email address",
  uri: "an address, like https://…",
  date: "YYYY-MM-DD",
  "date-time": "2030-01-31T12:00:00Z",
} as const;
