import { type Editor, replaceAll } from "../../composer/editor.js";
import { match, pattern } from "../fuzzy.js";
import type { FormField } from "./state.js";

export interface ChoiceFound {
  readonly value: string;
  readonly detail: string;
  readonly marks: readonly number[];
}

/** The word at the cursor of a field of words, which are kept apart by blanks and commas. */
function wordAt({ text, cursor }: Editor): { readonly from: number; readonly to: number; readonly word: string } {
  const from = cursor - (/[^\s,]*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
  const to = cursor + (/^[^\s,]*/.exec(text.slice(cursor))?.[0].length ?? 0);
  return { from, to, word: text.slice(from, to) };
}

/** What may complete the word at the cursor, found by name or by what is said of it: nothing that the field has already. */
function completions({ choices = [], editor }: FormField): readonly ChoiceFound[] {
  const { from, to, word } = wordAt(editor);
  const taken = new Set(`${editor.text.slice(0, from)} ${editor.text.slice(to)}`.split(/[\s,]+/));
  const free = choices.filter(({ value }) => !taken.has(value));
  const given = pattern(word);
  if (given.words === "") return free.map((one) => ({ ...one, marks: [] }));
  if (choices.some(({ value }) => value === word)) return [];
  const found = free.flatMap((one) => {
    const hit = match(given, one.value);
    if (hit !== undefined) return [{ ...one, marks: hit.at, score: hit.score }];
    const said = match(given, one.detail);
    return said === undefined ? [] : [{ ...one, marks: [], score: said.score }];
  });
  return found.sort((a, b) => b.score - a.score);
}

/** The completion that is marked takes the place of the word at the cursor; undefined: none is. */
export function completed(field: FormField): Editor | undefined {
  if (field.kind !== "words" || field.marked === undefined) return undefined;
  const value = completions(field)[markOf(field)]?.value;
  if (value === undefined) return undefined;
  const { text } = field.editor;
  const { from, to } = wordAt(field.editor);
  const before = `${text.slice(0, from)}${value} `;
  return { ...replaceAll(field.editor, `${before}${text.slice(to).trimStart()}`), cursor: before.length };
}

/** Choices that what was typed lets through, the best first. A field that holds a choice as it is shows all. */
export function choicesOf(field: FormField): readonly ChoiceFound[] {
  if (field.kind === "words") return completions(field);
  const { choices = [], editor } = field;
  const given = pattern(editor.text);
  if (given.words === "" || choices.some(({ value }) => value === editor.text))
    return choices.map((one) => ({ ...one, marks: [] }));
  const found = choices.flatMap((one) => {
    const hit = match(given, one.value);
    return hit === undefined ? [] : [{ ...one, marks: hit.at, score: hit.score }];
  });
  return found.sort((a, b) => b.score - a.score);
}

/**
 * Place of the mark in that list; -1: nothing is chosen, and nothing was typed that would choose. A completion is marked by the arrow keys
 * alone: what was typed may be the name of something that is not in the list.
 */
export function markOf(field: FormField): number {
  const found = choicesOf(field);
  if (field.marked !== undefined) return Math.min(field.marked, found.length - 1);
  if (field.kind === "words") return -1;
  if (field.editor.text === "") return -1;
  const same = found.findIndex(({ value }) => value === field.editor.text);
  return same >= 0 ? same : found.length > 0 ? 0 : -1;
}

/** What the field would hand over: what is marked, else what was typed. */
export function choiceValue(field: FormField): string {
  if (field.kind !== "choice") return field.editor.text;
  return choicesOf(field)[markOf(field)]?.value ?? field.editor.text;
}
