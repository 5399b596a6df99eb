import { match, pattern } from "../fuzzy.js";
import type { FormField } from "./state.js";

export interface ChoiceFound {
  readonly value: string;
  readonly detail: string;
  readonly marks: readonly number[];
}

/** Choices that what was typed lets through, the best first. A field that holds a choice as it is shows all. */
export function choicesOf({ choices = [], editor }: FormField): readonly ChoiceFound[] {
  const given = pattern(editor.text);
  if (given.words === "" || choices.some(({ value }) => value === editor.text)) return choices.map((one) => ({ ...one, marks: [] }));
  const found = choices.flatMap((one) => {
    const hit = match(given, one.value);
    return hit === undefined ? [] : [{ ...one, marks: hit.at, score: hit.score }];
  });
  return found.sort((a, b) => b.score - a.score);
}

/** Place of the mark in that list; -1: nothing is chosen, and nothing was typed that would choose. */
export function markOf(field: FormField): number {
  const found = choicesOf(field);
  if (field.marked !== undefined) return Math.min(field.marked, found.length - 1);
  if (field.editor.text === "") return -1;
  const same = found.findIndex(({ value }) => value === field.editor.text);
  return same >= 0 ? same : found.length > 0 ? 0 : -1;
}

/** What the field would hand over: what is marked, else what was typed. */
export function choiceValue(field: FormField): string {
  if (field.kind !== "choice") return field.editor.text;
  return choicesOf(field)[markOf(field)]?.value ?? field.editor.text;
}
