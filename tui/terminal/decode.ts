import { StringDecoder } from "node:string_decoder";
import { application, consoleKey, control, csi, type Input, key, MODS } from "../decode/keys.js";

export type { Input, KeyInput } from "../decode/keys.js";

const END = "\x1b[201~";
const PASTE_SILENCE_MS = 2_000; // a paste that lost its end marker ends after so much silence
const MAX_PASTE = 16 << 20;
const MAX_SEQUENCE = 4096;
/** Typing is slower: more characters than this within that time, with line ends among them, were pasted. */
const BURST_CHARS = 20;
const BURST_MS = 10;

/** Runs `fn` after `ms`; the result cancels. */
export type SetTimer = (ms: number, fn: () => void) => () => void;

/**
 * Turn the bytes of a terminal into events. They may be split anywhere; the events are the same. A lone Escape counts after `escapeMs`
 * without another byte.
 */
export function createDecoder(
  emit: (input: Input) => void,
  after: SetTimer,
  escapeMs: () => number,
): (bytes: Buffer) => void {
  const decoder = new Decoder(emit, after, escapeMs);
  return (bytes) => decoder.push(bytes);
}

class Decoder {
  readonly #utf8 = new StringDecoder("utf8");
  readonly #emit: (input: Input) => void;
  readonly #after: SetTimer;
  readonly #escapeMs: () => number;
  #buffer = "";
  #paste: { parts: string[]; length: number } | undefined;
  /** Text with line ends that may be the beginning of a paste. */
  #burst = "";
  #cancel: (() => void) | undefined;

  constructor(emit: (input: Input) => void, after: SetTimer, escapeMs: () => number) {
    this.#emit = emit;
    this.#after = after;
    this.#escapeMs = escapeMs;
  }

  push(bytes: Buffer): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const text = this.#utf8.write(bytes);
    if (this.#paste === undefined && this.#buffer === "" && this.#isBurst(text)) {
      this.#burst += text;
      this.#cancel = this.#after(BURST_MS, () => this.#endBurst());
      return;
    }
    this.#endBurst();
    this.#buffer += text;
    this.#drain();
  }

  /** Characters and line ends together, or more of what began so. */
  #isBurst(text: string): boolean {
    if (text === "" || /[^\P{Cc}\t\r\n]/u.test(text)) return false;
    return this.#burst !== "" || (text.length > 1 && /[\r\n]/.test(text) && /[^\r\n]/.test(text));
  }

  #endBurst(): void {
    const text = this.#burst;
    this.#burst = "";
    // One line with its end is a message that was typed while nothing was read: the Enter behind it is one.
    const one = /^[^\r\n]+(?:\r\n?|\n)$/.test(text);
    if (text.length > BURST_CHARS && !one) this.#emit({ type: "paste", text: pasted(text) });
    else if (text !== "") {
      this.#buffer += text;
      this.#drain();
    }
  }

  #drain(): void {
    let from = 0;
    for (let used = 1; from < this.#buffer.length && used > 0; from += used) {
      if (from > 0 && this.#buffer[from] === "\x1b") {
        this.#buffer = this.#buffer.slice(from);
        from = 0;
      }
      used = this.#step(from);
    }
    this.#buffer = this.#buffer.slice(from);
    const waiting = this.#buffer !== "" || this.#paste !== undefined;
    if (waiting)
      this.#cancel = this.#after(this.#paste === undefined ? this.#escapeMs() : PASTE_SILENCE_MS, () => this.#expire());
  }

  /** Characters that are used up; 0: wait for more. A sequence stands at the beginning of the buffer. */
  #step(from: number): number {
    if (this.#paste !== undefined) return this.#pasteStep(from);
    if (this.#buffer[from] === "\x1b") return this.#escapeStep();
    RUN.lastIndex = from;
    const run = RUN.exec(this.#buffer)?.[0];
    if (run === undefined) return this.#send(control(this.#buffer.charCodeAt(from)), 1);
    const text = run.replace(C1, "");
    return this.#send(text === "" ? undefined : { type: "text", text }, run.length);
  }

  #pasteStep(from: number): number {
    const at = this.#buffer.indexOf(END, from);
    const until = at < 0 ? Math.max(from, this.#buffer.length - END.length + 1) : at;
    this.#keep(this.#buffer.slice(from, until));
    if (at < 0) return until - from;
    this.#endPaste();
    return at + END.length - from;
  }

  #keep(text: string): void {
    const paste = this.#paste;
    if (paste === undefined || paste.length >= MAX_PASTE) return; // longer than anything that is taken
    paste.parts.push(text.slice(0, MAX_PASTE - paste.length));
    paste.length += text.length;
  }

  #endPaste(): void {
    const text = this.#paste?.parts.join("") ?? "";
    this.#paste = undefined;
    this.#emit({ type: "paste", text: pasted(text) });
  }

  /** What begins with Escape at the start of the buffer. */
  #escapeStep(): number {
    const buffer = this.#buffer;
    if (buffer === "\x1b" || buffer === "\x1b\x1b") return 0;
    if (/^\x1b\x1b[[O]/.test(buffer)) return this.#sequence(1, MODS.alt);
    return this.#sequence(0, 0);
  }

  /** `at`: where its Escape stands; one before it is Alt. */
  #sequence(at: number, mods: number): number {
    const buffer = at === 0 ? this.#buffer : this.#buffer.slice(at);
    if (buffer.startsWith("\x1b[[")) return buffer.length < 4 ? 0 : this.#send(consoleKey(buffer[3] ?? ""), at + 4);
    const match = /^\x1b\[([<=>?]?)([\d;:]*)[ -#%-/]*([$@-~])/.exec(buffer);
    if (match?.[0] === "\x1b[200~") {
      this.#paste = { parts: [], length: 0 };
      return at + 6;
    }
    if (match?.[0] === "\x1b[M") return buffer.length < 6 ? 0 : at + 6; // an old mouse report: three more bytes, of no use
    if (match)
      return this.#send(withMods(csi(match[1] ?? "", match[2] ?? "", match[3] ?? ""), mods), at + match[0].length);
    const begun = /^\x1b\[[<=>?]?[\d;:]*[ -/]*/.exec(buffer)?.[0].length ?? 0;
    if (begun === buffer.length) return buffer.length < MAX_SEQUENCE ? 0 : at + begun;
    if (begun > 2) return at + begun; // broken off by something that cannot belong to it
    return this.#otherEscape(buffer, at, mods);
  }

  /** Application keys, answers of the terminal, and Alt with a key. */
  #otherEscape(buffer: string, at: number, mods: number): number {
    const second = buffer[1] ?? "";
    if (second === "O") {
      const keypad = /^\x1bO(\d?)([^\d])/.exec(buffer);
      if (keypad === null) return buffer.length < 4 ? 0 : at + 3;
      const more = keypad[1] === "" ? 0 : Number(keypad[1]) - 1;
      return this.#send(application(keypad[2] ?? "", mods | (more & 7)), at + keypad[0].length);
    }
    if ("]P_^X".includes(second)) {
      const end = /\x07|\x1b\\/.exec(buffer);
      if (end) return this.#send({ type: "reply", text: buffer.slice(2, end.index) }, at + end.index + end[0].length);
      return buffer.length < MAX_SEQUENCE ? 0 : at + buffer.length;
    }
    if (second === "\x1b") return this.#send(key("escape"), 1);
    const char = String.fromCodePoint(buffer.codePointAt(1) ?? 32);
    return this.#send(
      char < " " || char === "\x7f" ? control(char.charCodeAt(0), MODS.alt) : key(char, MODS.alt),
      1 + char.length,
    );
  }

  /** Nothing came for a while: a lone Escape, Alt with a key, a sequence that was broken off, or a paste that lost its end. */
  #expire(): void {
    if (this.#paste !== undefined) {
      this.#keep(this.#buffer);
      this.#buffer = "";
      this.#endPaste();
      return;
    }
    const buffer = this.#buffer;
    this.#buffer = "";
    if (buffer === "\x1b" || buffer === "\x1b\x1b") for (const _ of buffer) this.#emit(key("escape"));
    else if (buffer.length === 2) this.#emit(key(buffer[1] ?? "", MODS.alt));
  }

  #send(input: Input | undefined, used: number): number {
    if (input) this.#emit(input);
    return used;
  }
}

const RUN = /[^\x00-\x1f\x7f]+/y;
const C1 = /[\x80-\x9f]/g;

const pasted = (text: string): string => text.replace(/\r\n?/g, "\n");

const withMods = (input: Input | undefined, mods: number): Input | undefined =>
  mods === 0 || input?.type !== "key" ? input : { ...input, alt: input.alt || (mods & MODS.alt) > 0 };
