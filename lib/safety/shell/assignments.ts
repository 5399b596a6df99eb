import type { Word } from "../options/command-line.js";
import type { Parse } from "./state.js";

/** Builtins whose words are assignments too. */
export const DECLARE: ReadonlySet<string> = new Set(["export", "declare", "typeset", "local", "readonly"]);

/** `name=value`, `name+=value`, `name[subscript]=value`. */
export const isAssignment = (word: Word) => /^[A-Za-z_][A-Za-z0-9_]*(\[.*?\])?\+?=/s.test(word.text);

/** Keep what an assignment says of a variable. `lasting`: it holds for later commands of the line, not for one program alone. */
export function rememberAssignment(p: Parse, word: Word, lasting: boolean): void {
  const equals = word.text.indexOf("=");
  const name = word.text.slice(0, equals);
  if (lasting) p.choices.delete(name.replace(/[[+].*$/, ""));
  if (lasting && word.choices !== undefined && /^\w+$/.test(name))
    p.choices.set(
      name,
      word.choices.map((one) => one.slice(equals + 1)),
    );
  if (lasting && word.literal && /^\w+$/.test(name)) p.known.set(name, word.text.slice(equals + 1));
  else if (lasting) p.known.delete(name.replace(/[[+].*$/, ""));
}
