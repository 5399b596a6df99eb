/** What a terminal tells: keys, text, paste, mouse, focus, answers. */
export interface KeyInput {
  readonly type: "key";
  readonly name: string;
  readonly shift: boolean;
  readonly alt: boolean;
  readonly ctrl: boolean;
}

export type Input =
  | KeyInput
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "mouse"; readonly code: number; readonly x: number; readonly y: number; readonly up: boolean }
  | { readonly type: "focus"; readonly focused: boolean }
  | { readonly type: "reply"; readonly text: string };

type Names = Readonly<Record<string, string>>;

/** Bits of modifiers as terminals count them. */
export const MODS = { shift: 1, alt: 2, ctrl: 4 } as const;
const OTHERS = 8 | 16; // super and hyper belong to the window manager

export const key = (name: string, mods = 0): KeyInput => ({
  type: "key",
  name,
  shift: (mods & MODS.shift) > 0,
  alt: (mods & MODS.alt) > 0,
  ctrl: (mods & MODS.ctrl) > 0,
});

const FINAL: Names = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  M: "enter",
};
/** rxvt: lower case with Shift after `[`, with Ctrl after `O`. */
const LOWER: Names = { a: "up", b: "down", c: "right", d: "left" };
const TILDE: Names = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};
const CONSOLE: Names = { A: "f1", B: "f2", C: "f3", D: "f4", E: "f5" };
const CODE: Names = { 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace" };

/** The keypad in application mode: what stands on it. */
const KEYPAD = "*+,-./0123456789"; // `j` to `y`

const FIRST_FUNCTIONAL = 57_344;
/** Functional keys of the kitty protocol from 57344 on; an empty name is a key that means nothing here. */
const FUNCTIONAL: readonly string[] = [
  "escape",
  "enter",
  "tab",
  "backspace",
  "insert",
  "delete",
  "left",
  "right",
  "up",
  "down",
  "pageup",
  "pagedown",
  "home",
  "end",
  "",
  "",
  "",
  "",
  "",
  "", // locks, print, pause, menu
  ...Array.from({ length: 12 }, (_, at) => `f${at + 1}`),
  ...Array.from({ length: 23 }, () => ""), // f13 to f35
  "0",
  "1",
  "2",
  "3",
  "4",
  "5",
  "6",
  "7",
  "8",
  "9",
  ".",
  "/",
  "*",
  "-",
  "+",
  "enter",
  "=",
  ",",
  "left",
  "right",
  "up",
  "down",
  "pageup",
  "pagedown",
  "home",
  "end",
  "insert",
  "delete",
];
const LAST_FUNCTIONAL = 63_743;

/** A C0 character as a key: 8 is Ctrl+Backspace, 0 Ctrl+Space, 10 stays Ctrl+J. */
export function control(code: number, mods = 0): KeyInput {
  if (code === 13 || code === 9 || code === 127) return key(CODE[code] ?? "", mods);
  if (code === 8) return key("backspace", mods | MODS.ctrl);
  return code === 0
    ? key("space", mods | MODS.ctrl)
    : key(String.fromCharCode(code + (code < 27 ? 96 : 64)).toLowerCase(), mods | MODS.ctrl);
}

/** A key told by its number; what types something is text. */
function numbered(code: number, mods: number): Input | undefined {
  if (Number.isNaN(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  if (code >= FIRST_FUNCTIONAL && code <= LAST_FUNCTIONAL) {
    const name = FUNCTIONAL[code - FIRST_FUNCTIONAL] ?? "";
    return name === "" ? undefined : typed(name, mods);
  }
  const name = CODE[code];
  if (name !== undefined) return name === "space" ? typed(" ", mods) : key(name, mods);
  if (code < 32) return control(code, mods);
  return typed(String.fromCodePoint(code), mods);
}

/** Shift alone has done its work on a character already. */
function typed(char: string, mods: number): Input {
  if ([...char].length !== 1) return key(char, mods);
  if ((mods & ~MODS.shift) === 0) return { type: "text", text: char };
  return char === " " ? key("space", mods) : key(char, mods);
}

/** A control sequence; undefined when it is unknown or tells nothing, and then it is dropped whole. */
export function csi(prefix: string, params: string, final: string): Input | undefined {
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN] = params
    .split(";")
    .map((part) => Number.parseInt(part, 10));
  if (prefix === "<" && /[Mm]/.test(final))
    return { type: "mouse", code: first, x: second - 1, y: third - 1, up: final === "m" };
  if (prefix !== "") return { type: "reply", text: prefix + params + final };
  if (final === "I" || final === "O") return { type: "focus", focused: final === "I" };
  if (/;\d+:3/.test(params)) return undefined; // the release of a key
  const bits = (second || 1) - 1;
  if (bits & OTHERS) return undefined;
  const mods = bits & 7;
  if (final === "u") return numbered(first, mods);
  if (final === "~" && first === 27) return numbered(third, mods);
  if (final === "Z") return key("tab", mods | MODS.shift);
  const name = nameOf(first, final);
  return name === undefined ? undefined : key(name.name, mods | name.mods);
}

function nameOf(number: number, final: string): { readonly name: string; readonly mods: number } | undefined {
  const of = (name: string | undefined, mods = 0) => (name === undefined ? undefined : { name, mods });
  switch (final) {
    case "~":
      return of(TILDE[number]);
    case "^":
      return of(TILDE[number], MODS.ctrl);
    case "$":
      return of(TILDE[number], MODS.shift);
    case "@":
      return of(TILDE[number], MODS.ctrl | MODS.shift);
    default:
      return of(FINAL[final]) ?? of(LOWER[final], MODS.shift);
  }
}

/** A key of the Linux console, `ESC [ [ A`. */
export const consoleKey = (letter: string): KeyInput | undefined =>
  CONSOLE[letter] === undefined ? undefined : key(CONSOLE[letter]);

/** What follows `ESC O`: cursor and function keys, the keypad. */
export function application(letter: string, mods = 0): Input | undefined {
  const name = FINAL[letter];
  if (name !== undefined) return key(name, mods);
  if (LOWER[letter] !== undefined) return key(LOWER[letter], mods | MODS.ctrl);
  if (letter === "I") return key("tab", mods);
  if (letter === "X") return typed("=", mods);
  if (letter === " ") return typed(" ", mods);
  const char = KEYPAD[letter.charCodeAt(0) - "j".charCodeAt(0)];
  return char === undefined ? undefined : typed(char, mods);
}
