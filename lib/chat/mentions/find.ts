import type { Mention, MentionEntry, MentionForm } from "./define.js";
import { MENTIONS } from "./kinds/index.gen.js";

const FORMS = new Map(MENTIONS.map(({ name, form }) => [name, form]));
const named = (alone: boolean): string =>
  MENTIONS.flatMap(({ name, form }) => ((form === "alone") === alone ? [name] : [])).join("|");

const BEFORE = "(?<![\\w@/`])@";
const QUOTED = '"([^"\\n]{1,2000})"(?::(\\d{1,9})(?:-(\\d{1,9}))?)?';
const MENTION = new RegExp(
  `${BEFORE}(?:(${named(false)}):(?:${QUOTED}|([^\\s"\`]{1,2000}))|(${named(true)})(?![\\w:@/-]))`,
  "g",
);
const ANY = new RegExp(`@(?:(?:${named(false)}):|${named(true)})`);
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** What a text mentions, each once. What stands in a block of code is quoted and no mention. */
export function mentionsIn(text: string): readonly Mention[] {
  if (!ANY.test(text)) return [];
  const found = new Map<string, Mention>();
  for (const [whole, kind = "", quoted, from, to, plain, alone] of outsideCode(text).matchAll(MENTION)) {
    const forms =
      alone !== undefined ? [] : quoted === undefined ? plainForms(plain ?? "", kind) : [formOf(quoted, from, to)];
    if (!found.has(whole)) found.set(whole, { whole, kind: alone ?? kind, forms });
  }
  return [...found.values()];
}

/** The definition of a kind that `mentionsIn` found. */
export const findMentionEntry = ({ kind }: Mention): MentionEntry | undefined =>
  MENTIONS.find(({ name }) => name === kind);

function formOf(name: string, from?: string, to?: string): MentionForm {
  if (from === undefined) return { name };
  return { name, from: Math.max(1, Number(from)), to: Number(to ?? from) };
}

function plainForms(given: string, kind: string): readonly MentionForm[] {
  const names = [...new Set([given, withoutEnd(given)])].filter((name) => name !== "");
  return FORMS.get(kind) === "path" ? names.flatMap(withLines) : names.map((name) => ({ name }));
}

/** The signs that end a sentence, a quotation or a parenthesis. */
function withoutEnd(given: string): string {
  let end = given.length;
  while (end > 0 && ".,;:!?)]}>'*_".includes(given.charAt(end - 1))) end -= 1;
  return given.slice(0, end);
}

function withLines(path: string): readonly MentionForm[] {
  const [, name, from, to] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(path) ?? [];
  return name === undefined ? [{ name: path }] : [{ name: path }, formOf(name, from, to)];
}

/** Lines of a fence that is as long as the one that opened it, and everything between, are blank. */
function outsideCode(text: string): string {
  let open: string | undefined;
  const lines = text.split("\n").map((line) => {
    const mark = FENCE.exec(line)?.[1];
    const inside = open !== undefined;
    if (open === undefined) open = mark;
    else if (mark?.startsWith(open) && line.trim() === mark) open = undefined;
    return inside || mark !== undefined ? "" : line;
  });
  return lines.join("\n");
}
