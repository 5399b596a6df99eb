import { UNKNOWN, type Word } from "./command-line.js";
import type { GivenOption, OptionItem, OptionTable, Reading } from "./types.js";

/** What has been read so far. */
interface Reader {
  readonly words: readonly Word[];
  at: number;
  readonly options: GivenOption[];
  readonly operands: Word[];
}

/**
 * Read the words behind a program. Long options are completed; an ambiguous or unknown one stays every option that it could be. Without a table
 * no option is known to take a value from the next word.
 */
export function readOptions(words: readonly Word[], table: OptionTable | undefined): Reading {
  const reader: Reader = { words, at: 0, options: [], operands: [] };
  readPart(reader, table ?? NO_TABLE);
  return { options: reader.options, operands: reader.operands };
}

const NO_TABLE: OptionTable = { items: [], style: "gnu", permuted: true };

function readPart(reader: Reader, table: OptionTable): void {
  if (table.style === "tar") readOldStyle(reader, table);
  while (reader.at < reader.words.length) {
    const word = reader.words[reader.at];
    if (word === undefined) return;
    reader.at += 1;
    if (word.text === "--") {
      reader.operands.push(...reader.words.slice(reader.at));
      reader.at = reader.words.length;
    } else if (isOption(word.text, table)) {
      readOption(reader, table, word);
    } else {
      reader.operands.push(word);
      if (!table.permuted) {
        endOptions(reader, table, word.text);
        return;
      }
    }
  }
}

/** The first operand of a program that does not permute: a subcommand goes on with a table of its own. */
function endOptions(reader: Reader, { subs }: OptionTable, name: string): void {
  const sub = subs === undefined ? undefined : ((Object.hasOwn(subs, name) ? subs[name] : undefined) ?? subs[""]);
  if (sub !== undefined) readPart(reader, sub);
  else {
    reader.operands.push(...reader.words.slice(reader.at));
    reader.at = reader.words.length;
  }
}

const isOption = (text: string, table: OptionTable): boolean =>
  (text.startsWith("-") && text !== "-") ||
  (text.startsWith("+") && table.items.some((item) => item.names.some((name) => name === text[0])));

function readOption(reader: Reader, table: OptionTable, word: Word): void {
  if (word.text.startsWith("--")) readLong(reader, table, word);
  else if (table.style === "single") readSingle(reader, table, word);
  else readLetters(reader, table, word);
}

/** A part of a word as a word. */
const partOf = (word: Word, from: number): Word => ({
  ...word,
  text: word.text.slice(from),
  ...(word.choices === undefined ? {} : { choices: word.choices.map((one) => one.slice(from)) }),
});

function readLong(reader: Reader, table: OptionTable, word: Word): void {
  const equals = word.text.indexOf("=");
  const text = equals === -1 ? word.text : word.text.slice(0, equals);
  const value = equals === -1 ? undefined : partOf(word, equals + 1);
  push(reader, text, completions(table.items, text), value);
}

/** Options whose name is the text, else those whose name begins so. A part that only running tells may complete to any. */
function completions(items: readonly OptionItem[], text: string): readonly (readonly [string, OptionItem])[] {
  const begun = text.split(UNKNOWN, 1)[0] ?? text;
  const long = items.flatMap((item) =>
    item.names.filter((name) => name.length > 2).map((name) => [name, item] as const),
  );
  const exact = text === begun ? long.filter(([name]) => name === text) : [];
  return exact.length > 0 ? exact : long.filter(([name]) => name.startsWith(begun));
}

function readSingle(reader: Reader, table: OptionTable, word: Word): void {
  const equals = word.text.indexOf("=");
  const text = equals === -1 ? word.text : word.text.slice(0, equals);
  const found = completions(table.items, text);
  const exact = found.some(([name]) => name === text);
  const [name, item] = exact ? [] : longestJoined(table.items, word.text);
  if (name !== undefined && item !== undefined)
    push(reader, name, [[name, item]], word.text.length > name.length ? partOf(word, name.length) : undefined);
  else push(reader, text, found, equals === -1 ? undefined : partOf(word, equals + 1));
}

/** The longest option with a value that the word begins with: `-MF/x` is `-MF`, `-ofile` is `-o`. */
function longestJoined(items: readonly OptionItem[], text: string): readonly [string, OptionItem] | readonly [] {
  const all = items.flatMap((item) => (item.value === "none" ? [] : item.names.map((name) => [name, item] as const)));
  return all.filter(([name]) => text.startsWith(name)).toSorted(([a], [b]) => b.length - a.length)[0] ?? [];
}

function push(
  reader: Reader,
  text: string,
  found: readonly (readonly [string, OptionItem])[],
  value: Word | undefined,
): void {
  const takes = value === undefined && found.length > 0 && found.some(([, item]) => item.value === "needed");
  const next = takes ? reader.words[reader.at] : undefined;
  // Where only some of the candidates take a value, the word stays an operand as well.
  // An abbreviation may be a switch that the table does not have: then a further option is not its value.
  const sure = found.some(([name]) => name === text) || next?.text.startsWith("-") !== true;
  if (next !== undefined && sure && found.every(([, item]) => item.value === "needed")) reader.at += 1;
  const names = found.map(([name]) => name);
  reader.options.push({
    text,
    names: names.length === 0 ? [text] : names,
    aliases: found.flatMap(([name, item]) => item.names.filter((other) => other !== name)),
    value: value ?? next,
    joined: value !== undefined,
    known: found.length === 1 && names[0] === text,
  });
}

/** `-abc`, `-ofile`, `-o file`. */
function readLetters(reader: Reader, table: OptionTable, word: Word): void {
  const { text } = word;
  if (text.startsWith("+") || /^-\d/.test(text)) {
    const item = table.items.find((one) => one.names.includes(text.slice(0, 2)) || one.names.includes(text[0] ?? ""));
    push(reader, text, item === undefined ? [] : [[text, item]], undefined);
    return;
  }
  // Without a table a longer word is one option: `-march=native`, `-Wall-of-text`.
  if (table.items.length === 0 && !/^-[a-zA-Z]{2,8}$/.test(text) && text.length > 2) {
    push(reader, text, [], undefined);
    return;
  }
  // Some programs have long options with one dash, or options of two letters: `bash -rcfile`, `zip -TT`.
  const whole = table.items.find((one) => text.length > 2 && one.names.includes(text));
  if (whole !== undefined) {
    push(reader, text, [[text, whole]], undefined);
    return;
  }
  for (let at = 1; at < text.length; at++) {
    const two = `-${text.slice(at, at + 2)}`;
    const name = two.length === 3 && table.items.some((one) => one.names.includes(two)) ? two : two.slice(0, 2);
    const item = table.items.find((one) => one.names.includes(name));
    at += name.length - 2;
    const rest = at + 1 < text.length ? partOf(word, at + 1) : undefined;
    if (item === undefined || item.value === "none") {
      push(reader, name, item === undefined ? [] : [[name, item]], undefined);
      continue;
    }
    push(reader, name, [[name, item]], rest);
    return;
  }
}

/** `tar xf a.tar`: letters without a dash, whose values follow in their order. */
function readOldStyle(reader: Reader, table: OptionTable): void {
  const word = reader.words[0];
  if (word === undefined || !/^[a-zA-Z]+$/.test(word.text)) return;
  reader.at = 1;
  for (const letter of word.text) {
    const name = `-${letter}`;
    const item = table.items.find((one) => one.names.includes(name));
    push(reader, name, item === undefined ? [] : [[name, item]], undefined);
  }
}

/** The option is, or may be, one of these. */
export function isOneOf(option: GivenOption, names: readonly string[]): boolean {
  const begun = option.text.split(UNKNOWN, 1)[0] ?? option.text;
  const open = !option.known && (begun.length > 2 || begun === "--");
  return names.some(
    (name) => option.names.includes(name) || option.aliases.includes(name) || (open && name.startsWith(begun)),
  );
}

/**
 * Make a table of a text. One option is its names joined by `/`, with `=` behind it when it takes a value, `=?` when only a joined one:
 * `-o/--output= --color=? -f/--force`.
 */
export function toTable(text: string, more: Partial<Omit<OptionTable, "items">> = {}): OptionTable {
  const items = text
    .split(/\s+/)
    .filter((one) => one !== "")
    .map((one): OptionItem => {
      const value = one.endsWith("=?") ? "joined" : one.endsWith("=") ? "needed" : "none";
      return { names: one.replace(/=\??$/, "").split("/"), value };
    });
  return { style: "gnu", permuted: true, ...more, items };
}
