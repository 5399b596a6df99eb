// size: one small state machine over bytes; split, its states could not be read together.
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
export function createDecoder(emit: (input: Input) => void, after: After, escapeMs: number): (bytes: Buffer) => void {
  const utf8 = new StringDecoder("utf8");
  let buffer = "";
  let paste: string | undefined;
  let stop: (() => void) | undefined;

  const send = (input: Input | undefined, used: number): number => {
    if (input) emit(input);
    return used;
  };
  const pasted = (rest: string): Input => {
    const text = `${paste ?? ""}${rest}`.slice(0, MAX_PASTE).replace(/\r\n?/g, "\n");
    paste = undefined;
    return { type: "paste", text };
  };
  const pasteStep = (): number => {
    const at = buffer.indexOf(END);
    const take = at < 0 ? Math.max(0, buffer.length - END.length + 1) : at;
    paste = `${paste ?? ""}${buffer.slice(0, take)}`;
    return at < 0 ? take : send(pasted(""), at + END.length);
  };
  const escapeStep = (): number => {
    const match = /^\x1b\[([<=>?]?)([\d;:]*)[ -/]*([@-~])/.exec(buffer);
    if (match?.[0] === "\x1b[200~") {
      paste = "";
      return 6;
    }
    if (match)
      return match[0] === "\x1b[M"
        ? buffer.length < 6
          ? 0
          : 6
        : send(csi(match[1] ?? "", match[2] ?? "", match[3] ?? ""), match[0].length);
    if (/^\x1b\[[<=>?]?[\d;:]*[ -/]*$/.test(buffer) && buffer.length < MAX_SEQUENCE) return 0;
    const second = buffer[1] ?? "";
    if (second === "O" && buffer.length < 3) return 0;
    const application = second === "O" ? FINAL[buffer[2] ?? ""] : undefined;
    if (application !== undefined) return send(key(application), 3);
    if ("]P_^X".includes(second)) {
      const end = /\x07|\x1b\\/.exec(buffer);
      if (end) return send({ type: "reply", text: buffer.slice(2, end.index) }, end.index + end[0].length);
      if (buffer.length < MAX_SEQUENCE) return 0;
    }
    if (second === "\x1b") return send(key("escape"), 1);
    const char = String.fromCodePoint(buffer.codePointAt(1) ?? 32);
    return send(char < " " || char === "\x7f" ? control(char.charCodeAt(0), 2) : key(char, 2), 1 + char.length);
  };
  const step = (): number => {
    if (paste !== undefined) return pasteStep();
    if (buffer[0] !== "\x1b") {
      const run = /^[^\x00-\x1f\x7f]+/.exec(buffer)?.[0];
      return run === undefined ? send(control(buffer.charCodeAt(0)), 1) : send({ type: "text", text: run }, run.length);
    }
    return buffer.length === 1 ? 0 : escapeStep();
  };
  const drain = (): void => {
    for (let used = 1; buffer !== "" && used > 0; ) {
      used = step();
      buffer = buffer.slice(used);
    }
    if (buffer !== "" || paste !== undefined) stop = after(paste === undefined ? escapeMs : PASTE_SILENCE_MS, expire);
  };
  const expire = (): void => {
    if (paste !== undefined) {
      emit(pasted(buffer));
      buffer = "";
      return;
    }
    emit(buffer.length === 1 ? key("escape") : key(buffer[1] ?? "", 2));
    buffer = buffer.slice(2);
    drain();
  };
  return (bytes) => {
    stop?.();
    stop = undefined;
    buffer += utf8.write(bytes);
    drain();
  };
}
