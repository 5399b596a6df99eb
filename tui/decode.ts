import { StringDecoder } from "node:string_decoder";

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

const FINAL: Names = { A: "up", B: "down", C: "right", D: "left", H: "home", F: "end", P: "f1", Q: "f2", R: "f3", S: "f4", M: "enter" };
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
const CODE: Names = { 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace" };
const END = "\x1b[201~";
const PASTE_SILENCE_MS = 2_000; // a paste that lost its end marker ends after so much silence
const MAX_PASTE = 16 << 20;
const MAX_SEQUENCE = 4096;

const key = (name: string, mods = 0): KeyInput => ({ type: "key", name, shift: (mods & 1) > 0, alt: (mods & 2) > 0, ctrl: (mods & 4) > 0 });

/** A C0 character as a key: 8 is Ctrl+Backspace, 0 Ctrl+Space, 10 stays Ctrl+J. */
function control(code: number, mods = 0): KeyInput {
  if (code === 13 || code === 9 || code === 127) return key(CODE[code] ?? "", mods);
  if (code === 8) return key("backspace", mods | 4);
  return code === 0 ? key("space", mods | 4) : key(String.fromCharCode(code + (code < 27 ? 96 : 64)), mods | 4);
}

/** A control sequence; undefined when it is unknown, and then it is dropped whole. */
function csi(prefix: string, params: string, final: string): Input | undefined {
  const p = params.split(";").map((part) => Number.parseInt(part, 10));
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN] = p;
  const mods = ((second || 1) - 1) & 7;
  if (prefix === "<" && /[Mm]/.test(final)) return { type: "mouse", code: first, x: second - 1, y: third - 1, up: final === "m" };
  if (prefix !== "") return { type: "reply", text: prefix + params + final };
  if (final === "I" || final === "O") return { type: "focus", focused: final === "I" };
  if (final === "u" && /;\d+:3/.test(params)) return undefined; // the release of a key
  if (final === "u" || (final === "~" && first === 27)) {
    const code = final === "u" ? first : third;
    return Number.isNaN(code) || code > 0x10ffff ? undefined : key(CODE[code] ?? String.fromCodePoint(code), mods);
  }
  if (final === "Z") return key("tab", mods | 1);
  const name = final === "~" ? TILDE[first] : FINAL[final];
  return name === undefined ? undefined : key(name, mods);
}

/** Runs `fn` after `ms`; the result cancels. */
export type After = (ms: number, fn: () => void) => () => void;

/**
 * Turn the bytes of a terminal into events. They may be split anywhere; the events are the same. A lone Escape counts after `escapeMs`
 * without another byte.
 */
export function createDecoder(emit: (input: Input) => void, after: After, escapeMs: () => number): (bytes: Buffer) => void {
  const decoder = new Decoder(emit, after, escapeMs);
  return (bytes) => decoder.push(bytes);
}

class Decoder {
  readonly #utf8 = new StringDecoder("utf8");
  readonly #emit: (input: Input) => void;
  readonly #after: After;
  readonly #escapeMs: () => number;
  #buffer = "";
  #paste: string | undefined;
  #cancel: (() => void) | undefined;

  constructor(emit: (input: Input) => void, after: After, escapeMs: () => number) {
    this.#emit = emit;
    this.#after = after;
    this.#escapeMs = escapeMs;
  }

  push(bytes: Buffer): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#buffer += this.#utf8.write(bytes);
    this.#drain();
  }

  #drain(): void {
    for (let used = 1; this.#buffer !== "" && used > 0; ) {
      used = this.#step();
      this.#buffer = this.#buffer.slice(used);
    }
    const waiting = this.#buffer !== "" || this.#paste !== undefined;
    if (waiting) this.#cancel = this.#after(this.#paste === undefined ? this.#escapeMs() : PASTE_SILENCE_MS, () => this.#expire());
  }

  /** Characters that are used up; 0: wait for more. */
  #step(): number {
    const buffer = this.#buffer;
    if (this.#paste !== undefined) return this.#pasteStep();
    if (buffer[0] === "\x1b") return buffer.length === 1 ? 0 : this.#escapeStep();
    const run = /^[^\x00-\x1f\x7f]+/.exec(buffer)?.[0];
    return run === undefined ? this.#send(control(buffer.charCodeAt(0)), 1) : this.#send({ type: "text", text: run }, run.length);
  }

  #pasteStep(): number {
    const at = this.#buffer.indexOf(END);
    const take = at < 0 ? Math.max(0, this.#buffer.length - END.length + 1) : at;
    this.#paste = `${this.#paste ?? ""}${this.#buffer.slice(0, take)}`;
    return at < 0 ? take : this.#send(this.#pasted(""), at + END.length);
  }

  #escapeStep(): number {
    const buffer = this.#buffer;
    const match = /^\x1b\[([<=>?]?)([\d;:]*)[ -/]*([@-~])/.exec(buffer);
    if (match?.[0] === "\x1b[200~") {
      this.#paste = "";
      return 6;
    }
    if (match?.[0] === "\x1b[M") return buffer.length < 6 ? 0 : 6; // an old mouse report: three more bytes, of no use
    if (match) return this.#send(csi(match[1] ?? "", match[2] ?? "", match[3] ?? ""), match[0].length);
    if (/^\x1b\[[<=>?]?[\d;:]*[ -/]*$/.test(buffer) && buffer.length < MAX_SEQUENCE) return 0;
    return this.#otherEscape(buffer[1] ?? "");
  }

  /** Application keys, answers of the terminal, and Alt with a key. */
  #otherEscape(second: string): number {
    const buffer = this.#buffer;
    if (second === "O" && buffer.length < 3) return 0;
    const application = second === "O" ? FINAL[buffer[2] ?? ""] : undefined;
    if (application !== undefined) return this.#send(key(application), 3);
    if ("]P_^X".includes(second)) {
      const end = /\x07|\x1b\\/.exec(buffer);
      if (end) return this.#send({ type: "reply", text: buffer.slice(2, end.index) }, end.index + end[0].length);
      if (buffer.length < MAX_SEQUENCE) return 0;
    }
    if (second === "\x1b") return this.#send(key("escape"), 1);
    const char = String.fromCodePoint(buffer.codePointAt(1) ?? 32);
    return this.#send(char < " " || char === "\x7f" ? control(char.charCodeAt(0), 2) : key(char, 2), 1 + char.length);
  }

  #pasted(rest: string): Input {
    const text = `${this.#paste ?? ""}${rest}`.slice(0, MAX_PASTE).replace(/\r\n?/g, "\n");
    this.#paste = undefined;
    return { type: "paste", text };
  }

  /** Nothing came for a while: a lone Escape, Alt with a key, or a paste that lost its end. */
  #expire(): void {
    if (this.#paste !== undefined) {
      this.#emit(this.#pasted(this.#buffer));
      this.#buffer = "";
      return;
    }
    this.#emit(this.#buffer.length === 1 ? key("escape") : key(this.#buffer[1] ?? "", 2));
    this.#buffer = this.#buffer.slice(2);
    this.#drain();
  }

  #send(input: Input | undefined, used: number): number {
    if (input) this.#emit(input);
    return used;
  }
}
