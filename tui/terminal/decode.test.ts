import assert from "node:assert/strict";
import test from "node:test";
import { createDecoder, type Input } from "./decode.js";

/** Events of some bytes, split at the given places. Time passes once at the end. */
function decode(bytes: Buffer, cuts: readonly number[] = []): Input[] {
  const seen: Input[] = [];
  const due: (() => void)[] = [];
  const push = createDecoder(
    (input) => seen.push(input),
    (_ms, fn) => {
      due.push(fn);
      return () => due.splice(due.indexOf(fn), 1);
    },
    () => 50,
  );
  const places = [0, ...cuts, bytes.length];
  for (let at = 1; at < places.length; at++) push(bytes.subarray(places[at - 1], places[at]));
  for (let expire = due.shift(); expire; expire = due.shift()) expire();
  return joined(seen);
}

/** Runs of text next to each other are one: where they were split is chance. */
function joined(seen: readonly Input[]): Input[] {
  const out: Input[] = [];
  for (const one of seen) {
    const last = out.at(-1);
    if (one.type === "text" && last?.type === "text")
      out[out.length - 1] = { type: "text", text: last.text + one.text };
    else out.push(one);
  }
  return out;
}

const key = (name: string, mods: Partial<Record<"shift" | "alt" | "ctrl", true>> = {}): Input => ({
  type: "key",
  name,
  shift: mods.shift ?? false,
  alt: mods.alt ?? false,
  ctrl: mods.ctrl ?? false,
});
const text = (of: string): Input => ({ type: "text", text: of });

const CASES: readonly (readonly [string, string, readonly Input[]])[] = [
  ["text", "héllo 漢字 👨‍👩‍👧", [text("héllo 漢字 👨‍👩‍👧")]],
  ["Enter", "\r", [key("enter")]],
  ["Ctrl+J stays Ctrl+J", "\n", [key("j", { ctrl: true })]],
  ["Tab", "\t", [key("tab")]],
  ["Ctrl+C", "\x03", [key("c", { ctrl: true })]],
  ["Ctrl+Space", "\x00", [key("space", { ctrl: true })]],
  ["Ctrl+_", "\x1f", [key("_", { ctrl: true })]],
  ["Ctrl+backslash", "\x1c", [key("\\", { ctrl: true })]],
  ["Backspace", "\x7f", [key("backspace")]],
  ["Ctrl+H is Ctrl+Backspace", "\x08", [key("backspace", { ctrl: true })]],
  ["a lone Escape", "\x1b", [key("escape")]],
  ["Escape twice", "\x1b\x1b", [key("escape"), key("escape")]],
  ["Alt+Enter", "\x1b\r", [key("enter", { alt: true })]],
  ["Alt+Backspace", "\x1b\x7f", [key("backspace", { alt: true })]],
  ["Alt+1", "\x1b1", [key("1", { alt: true })]],
  ["Alt+[", "\x1b[", [key("[", { alt: true })]],
  ["Alt+O", "\x1bO", [key("O", { alt: true })]],
  ["Alt+ä", "\x1bä", [key("ä", { alt: true })]],
  ["Alt+Ctrl+A", "\x1b\x01", [key("a", { alt: true, ctrl: true })]],
  ["arrows", "\x1b[A\x1b[B\x1b[C\x1b[D", [key("up"), key("down"), key("right"), key("left")]],
  ["application arrows", "\x1bOA\x1bOD", [key("up"), key("left")]],
  ["Home and End in three ways", "\x1b[H\x1b[1~\x1bOH\x1b[4~", [key("home"), key("home"), key("home"), key("end")]],
  [
    "Insert, Delete, pages",
    "\x1b[2~\x1b[3~\x1b[5~\x1b[6~",
    [key("insert"), key("delete"), key("pageup"), key("pagedown")],
  ],
  ["Ctrl+Left", "\x1b[1;5D", [key("left", { ctrl: true })]],
  ["Ctrl+Alt+Right", "\x1b[1;7C", [key("right", { ctrl: true, alt: true })]],
  ["Shift+Up", "\x1b[1;2A", [key("up", { shift: true })]],
  ["Ctrl+Delete", "\x1b[3;5~", [key("delete", { ctrl: true })]],
  ["Alt+Up with an Escape before it", "\x1b\x1b[A", [key("up", { alt: true })]],
  ["Shift+Tab", "\x1b[Z", [key("tab", { shift: true })]],
  ["F1 to F4", "\x1bOP\x1bOQ\x1bOR\x1bOS", [key("f1"), key("f2"), key("f3"), key("f4")]],
  ["F1 to F4 of other terminals", "\x1b[11~\x1b[12~\x1b[13~\x1b[14~", [key("f1"), key("f2"), key("f3"), key("f4")]],
  ["F5 to F12", "\x1b[15~\x1b[17~\x1b[21~\x1b[24~", [key("f5"), key("f6"), key("f10"), key("f12")]],
  ["Shift+F6", "\x1b[17;2~", [key("f6", { shift: true })]],
  ["Ctrl+F1", "\x1b[1;5P", [key("f1", { ctrl: true })]],
  ["F1 of the Linux console", "\x1b[[A", [key("f1")]],
  ["the keypad in application mode", "\x1bOq\x1bOy\x1bOk\x1bOn\x1bOM", [text("19+."), key("enter")]],
  ["rxvt Shift+Up and Ctrl+Up", "\x1b[a\x1bOa", [key("up", { shift: true }), key("up", { ctrl: true })]],
  [
    "rxvt Ctrl+PgUp and Shift+Delete",
    "\x1b[5^\x1b[3$",
    [key("pageup", { ctrl: true }), key("delete", { shift: true })],
  ],
  ["kitty Ctrl+Enter", "\x1b[13;5u", [key("enter", { ctrl: true })]],
  ["kitty Shift+Enter", "\x1b[13;2u", [key("enter", { shift: true })]],
  ["kitty Escape", "\x1b[27u", [key("escape")]],
  ["kitty Ctrl+C", "\x1b[99;5u", [key("c", { ctrl: true })]],
  ["kitty Ctrl+C with Caps Lock on", "\x1b[99;69u", [key("c", { ctrl: true })]],
  ["kitty with the shifted key told", "\x1b[97:65;6u", [key("a", { ctrl: true, shift: true })]],
  ["kitty Alt+Z", "\x1b[122;3u", [key("z", { alt: true })]],
  ["kitty functional keys", "\x1b[57352u\x1b[57364u\x1b[57417;5u", [key("up"), key("f1"), key("left", { ctrl: true })]],
  ["kitty keypad types", "\x1b[57404u\x1b[57414u", [text("5"), key("enter")]],
  ["kitty modifier keys by themselves are nothing", "\x1b[57441;2u", []],
  ["a key with the window manager's modifier is nothing", "\x1b[97;9u", []],
  ["the release of a key is nothing", "\x1b[97;1:3u\x1b[1;1:3A", []],
  ["a repeated key is a key", "\x1b[1;1:2A", [key("up")]],
  ["modifyOtherKeys Ctrl+Enter", "\x1b[27;5;13~", [key("enter", { ctrl: true })]],
  ["modifyOtherKeys Shift+A types", "\x1b[27;2;65~", [text("A")]],
  ["an unknown sequence is dropped whole", "\x1b[99;99yx", [text("x")]],
  ["an unknown keypad key is dropped whole", "\x1bO~x", [text("x")]],
  ["a sequence that is broken off is dropped, never text", "\x1b[1;5", []],
  ["an answer that is broken off is dropped, never text", "\x1b]11;rgb:00", []],
  ["a paste is one event", "\x1b[200~a\r\nb\x1b[Zc\x1b[201~", [{ type: "paste", text: "a\nb\x1b[Zc" }]],
  ["an empty paste", "\x1b[200~\x1b[201~", [{ type: "paste", text: "" }]],
  ["keys before and after a paste", "a\x1b[200~b\x1b[201~\r", [text("a"), { type: "paste", text: "b" }, key("enter")]],
  [
    "focus",
    "\x1b[I\x1b[O",
    [
      { type: "focus", focused: true },
      { type: "focus", focused: false },
    ],
  ],
  [
    "mouse",
    "\x1b[<0;3;4M\x1b[<0;3;4m",
    [
      { type: "mouse", code: 0, x: 2, y: 3, up: false },
      { type: "mouse", code: 0, x: 2, y: 3, up: true },
    ],
  ],
  ["an old mouse report is nothing", "\x1b[M !!", []],
  ["an answer of the terminal", "\x1b]11;rgb:00/00/00\x07", [{ type: "reply", text: "11;rgb:00/00/00" }]],
  ["an answer that ends in the other way", "\x1b]11;rgb:ff/ff/ff\x1b\\", [{ type: "reply", text: "11;rgb:ff/ff/ff" }]],
  ["the device attributes", "\x1b[?62;c", [{ type: "reply", text: "?62;c" }]],
  ["a string of the device", "\x1bP>|xterm(1)\x1b\\", [{ type: "reply", text: ">|xterm(1)" }]],
];

for (const [name, sequence, expected] of CASES) {
  test(`${name}, however the bytes are split`, () => {
    const bytes = Buffer.from(sequence);
    assert.deepEqual(decode(bytes), expected);
    for (let cut = 1; cut < bytes.length; cut++) assert.deepEqual(decode(bytes, [cut]), expected, `cut at ${cut}`);
  });
}

test("a paste that lost its end is one event after the silence", () => {
  assert.deepEqual(decode(Buffer.from("\x1b[200~lost")), [{ type: "paste", text: "lost" }]);
});

test("a megabyte is pasted as one event at once", () => {
  const line = "0123456789abcde\n";
  const body = line.repeat(65_536);
  const [paste, ...rest] = decode(Buffer.from(`\x1b[200~${body}\x1b[201~`), [10, 70_000, 500_000]);
  assert.equal(rest.length, 0);
  assert.ok(paste?.type === "paste" && paste.text === body);
});

test("no more of a paste is kept than 16 MiB", () => {
  const [paste] = decode(Buffer.from(`\x1b[200~${"x".repeat(17 << 20)}\x1b[201~`), [9 << 20]);
  assert.equal(paste?.type === "paste" && paste.text.length, 16 << 20);
});

test("W23: a burst with line ends is a paste where the terminal does not say so, and sends nothing", () => {
  assert.deepEqual(decode(Buffer.from("first line\rsecond line\r")), [
    { type: "paste", text: "first line\nsecond line\n" },
  ]);
  assert.deepEqual(decode(Buffer.from("first line\rsecond line\r"), [13]), [
    { type: "paste", text: "first line\nsecond line\n" },
  ]);
});

test("one long line with its Enter was typed, also when it comes in one piece because no one read for a while", () => {
  const line = "please look at the tests again";
  assert.deepEqual(decode(Buffer.from(`${line}\r`)), [text(line), key("enter")]);
});

test("a short line with its Enter was typed", () => {
  assert.deepEqual(decode(Buffer.from("hello\r")), [text("hello"), key("enter")]);
  assert.deepEqual(decode(Buffer.from("no line end in a long run of text")), [
    text("no line end in a long run of text"),
  ]);
});
