/** The keys of the workspace as data, and what keys.yaml makes of them (workspace part, 3.2). */

/** One row of the key table, without what it does. */
export interface ScreenKey {
  readonly id: string;
  readonly context: string;
  /** As the screen spells them: `ctrl+c`, `shift+tab`, `G`. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly hint?: string;
}

/** What keys.yaml says: ids and their keys; none at all for `none`. */
export type UserKeys = ReadonlyMap<string, readonly string[]>;

/** A table as the user wants it, and what of that could not be done. */
export interface Keymap<T> {
  readonly table: readonly T[];
  readonly problems: readonly string[];
}

/** It is the way out of everything. */
const FIXED = "ctrl+c";

/** Contexts in which letters are typed. */
const TYPING: ReadonlySet<string> = new Set(["everywhere", "composer", "form", "pick", "palette", "models"]);

const isLetter = (key: string): boolean => [...key].length === 1;

/**
 * Put the keys of the user in place of those of the table. A key that another action of the same context has goes to the one the user named it
 * for, and that is reported. Nothing of it is fatal: what can not be done is a problem in words, and the rest holds.
 */
export function withUserKeys<T extends ScreenKey>(table: readonly T[], wanted: UserKeys): Keymap<T> {
  const problems: string[] = [];
  let now = table;
  const named = new Set<string>();
  for (const [id, keys] of wanted) {
    if (!table.some((row) => row.id === id)) {
      problems.push(unknownId(id, table));
      continue;
    }
    const free = keys.filter((key) => {
      if (key === FIXED && id !== "interrupt") problems.push(`${id}: ${keyLabel(FIXED)} is reserved for interrupt`);
      return key !== FIXED || id === "interrupt";
    });
    const kept = id === "interrupt" && !free.includes(FIXED) ? [FIXED, ...free] : free;
    now = now.map((row) => (row.id === id ? changed(row, kept, problems) : row));
    now = yielded(now, { id, named, problems });
    named.add(id);
  }
  return { table: now, problems };
}

function unknownId(id: string, table: readonly ScreenKey[]): string {
  const near = [...new Set(table.map((row) => row.id))].find(
    (known) => known.endsWith(`.${id}`) || known.startsWith(id),
  );
  return `${id}: unknown action${near === undefined ? "" : `, did you mean ${near}?`}; /keys lists them`;
}

/** Where one types a letter is a letter: there the row keeps what it has. */
function changed<T extends ScreenKey>(row: T, keys: readonly string[], problems: string[]): T {
  if (row.keys.length === 0 && keys.length === 0) return row;
  const fit = TYPING.has(row.context) ? keys.filter((key) => !isLetter(key)) : keys;
  if (fit.length === 0 && keys.length > 0) {
    problems.push(`${row.id}: ${keys.map(keyLabel).join(", ")} cannot be a key ${row.context}, where text is typed`);
    return row;
  }
  const { hint, ...rest } = row;
  const [first] = fit;
  const told =
    hint === undefined || first === undefined
      ? {}
      : { hint: `${keyLabel(first)} ${hint.split(" ").slice(1).join(" ")}` };
  return { ...rest, keys: fit, ...told } as T; // the same row with other keys
}

interface Yielding {
  readonly id: string;
  readonly named: ReadonlySet<string>;
  readonly problems: string[];
}

/** Others give up a key that the user has given to this action; another one that the user named keeps its own. */
function yielded<T extends ScreenKey>(table: readonly T[], { id, named, problems }: Yielding): readonly T[] {
  const own = (context: string) =>
    table.filter((row) => row.id === id && row.context === context).flatMap((row) => row.keys);
  return table.map((row) => {
    if (row.id === id) {
      const taken = row.keys.filter((key) =>
        table.some(
          (other) =>
            other.id !== id && named.has(other.id) && other.context === row.context && other.keys.includes(key),
        ),
      );
      if (taken.length === 0) return row;
      problems.push(`${id}: ${taken.map(keyLabel).join(", ")} is already assigned to another action`);
      return { ...row, keys: row.keys.filter((key) => !taken.includes(key)) };
    }
    if (named.has(row.id)) return row;
    const lost = row.keys.filter((key) => own(row.context).includes(key));
    if (lost.length === 0) return row;
    const keys = row.keys.filter((key) => !lost.includes(key));
    const left = keys.length === 0 ? "no longer has a key" : `keeps ${keyLabels(keys)}`;
    problems.push(`${lost.map(keyLabel).join(", ")} is now ${id}; ${row.id} (${row.context}) ${left}`);
    return { ...row, keys };
  });
}

const NAMES: Readonly<Record<string, string>> = {
  " ": "Space",
  pageup: "PgUp",
  pagedown: "PgDn",
  escape: "Esc",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  delete: "Del",
  insert: "Ins",
};

/** A key as people read it: `Ctrl+C`, `Alt+M`, `F8`, `PgUp`. */
export function keyLabel(key: string): string {
  const parts =
    key === "+" || key.endsWith("++") ? [...key.slice(0, -2).split("+").filter(Boolean), "+"] : key.split("+");
  const name = parts.at(-1) ?? "";
  const mods = parts.slice(0, -1).map((one) => one.charAt(0).toUpperCase() + one.slice(1));
  const letter = [...name].length === 1;
  const shown =
    NAMES[name] ??
    (letter ? (mods.length > 0 ? name.toUpperCase() : name) : name.charAt(0).toUpperCase() + name.slice(1));
  const shifted = letter && mods.includes("Alt") && name !== name.toLowerCase() ? ["Shift"] : [];
  return [...mods, ...shifted, shown].join("+");
}

const KNOWN: ReadonlySet<string> = new Set([
  "up",
  "down",
  "left",
  "right",
  "home",
  "end",
  "pageup",
  "pagedown",
  "enter",
  "escape",
  "tab",
  "space",
  "backspace",
  "delete",
  "insert",
  ...Array.from({ length: 12 }, (_, at) => `f${at + 1}`),
]);

const OTHER: Readonly<Record<string, string>> = {
  pgup: "pageup",
  pgdn: "pagedown",
  pgdown: "pagedown",
  esc: "escape",
  return: "enter",
  del: "delete",
  ins: "insert",
  "↑": "up",
  "↓": "down",
  "←": "left",
  "→": "right",
};

/** A key as a person wrote it, in the spelling of the table; undefined: unknown key. */
export function parseKey(text: string): string | undefined {
  const given = text.trim().replace(/^\^(?=.)/, "ctrl+");
  const parts = given.endsWith("+")
    ? [...given.slice(0, -1).split(/[+-]/).filter(Boolean), "+"]
    : given.split(/\+|-(?=.)/);
  const name = parts.at(-1) ?? "";
  const mods = new Set(parts.slice(0, -1).map((one) => MODS.get(one.toLowerCase()) ?? ""));
  if (mods.has("") || name === "") return undefined;
  const order = ["ctrl", "alt", "shift"].filter((one) => mods.has(one));
  const low = name.toLowerCase();
  if ([...name].length === 1 && OTHER[name] === undefined) return letterKey(name, order);
  const known = OTHER[low] ?? low;
  return KNOWN.has(known) ? [...order, known].join("+") : undefined;
}

const MODS: ReadonlyMap<string, string> = new Map([
  ["ctrl", "ctrl"],
  ["control", "ctrl"],
  ["c", "ctrl"],
  ["alt", "alt"],
  ["meta", "alt"],
  ["option", "alt"],
  ["a", "alt"],
  ["m", "alt"],
  ["shift", "shift"],
  ["s", "shift"],
]);

/** Terminals tell a letter with Shift as the capital; Ctrl makes no difference between the two. */
function letterKey(name: string, mods: readonly string[]): string {
  const upper = mods.includes("shift") ? name.toUpperCase() : mods.length > 0 ? name.toLowerCase() : name;
  return [...mods.filter((one) => one !== "shift"), mods.includes("ctrl") ? upper.toLowerCase() : upper].join("+");
}

/** Rows of one context that claim the same key without a condition that tells them apart. */
export function conflictsIn(table: readonly (ScreenKey & { readonly when?: unknown })[]): readonly string[] {
  const seen = new Map<string, ScreenKey & { readonly when?: unknown }>();
  const found: string[] = [];
  for (const row of table) {
    for (const key of row.keys) {
      const place = `${row.context} ${key}`;
      const before = seen.get(place);
      if (before !== undefined && before.when === undefined)
        found.push(`${row.context}: ${keyLabel(key)} is ${before.id} and ${row.id}`);
      seen.set(place, row);
    }
  }
  return found;
}

/** The keys of an action, each once: a terminal may tell one of them in two ways. */
export const keyLabels = (keys: readonly string[]): string => [...new Set(keys.map(keyLabel))].join(", ");
