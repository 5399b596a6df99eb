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
  return seen;
}

const key = (name: string, mods: Partial<Record<"shift" | "alt" | "ctrl", true>> = {}) => ({
  type: "key",
  name,
  shift: mods.shift ?? false,
  alt: mods.alt ?? false,
  ctrl: mods.ctrl ?? false,
});

const CASES: readonly (readonly [string, string, readonly object[]])[] = [
  ["text", "héllo", [{ type: "text", text: "héllo" }]],
  ["Enter", "\r", [key("enter")]],
  ["Ctrl+J stays Ctrl+J", "\n", [key("j", { ctrl: true })]],
  ["Ctrl+C", "\x03", [key("c", { ctrl: true })]],
  ["Backspace", "\x7f", [key("backspace")]],
  ["a lone Escape", "\x1b", [key("escape")]],
  ["Alt+Enter", "\x1b\r", [key("enter", { alt: true })]],
  ["Alt+1", "\x1b1", [key("1", { alt: true })]],
  ["arrows", "\x1b[A\x1b[B", [key("up"), key("down")]],
  ["Ctrl+Left", "\x1b[1;5D", [key("left", { ctrl: true })]],
  ["Shift+Tab", "\x1b[Z", [key("tab", { shift: true })]],
  ["F1 and F5", "\x1bOP\x1b[15~", [key("f1"), key("f5")]],
  ["kitty Ctrl+Enter", "\x1b[13;5u", [key("enter", { ctrl: true })]],
  ["the release of a key is nothing", "\x1b[97;1:3u", []],
  ["an unknown sequence is dropped whole", "\x1b[99;99yx", [{ type: "text", text: "x" }]],
  ["a paste is one event", "\x1b[200~a\r\nb\x1b[Zc\x1b[201~", [{ type: "paste", text: "a\nb\x1b[Zc" }]],
  [
    "focus",
    "\x1b[I\x1b[O",
    [
      { type: "focus", focused: true },
      { type: "focus", focused: false },
    ],
  ],
  ["mouse", "\x1b[<0;3;4M", [{ type: "mouse", code: 0, x: 2, y: 3, up: false }]],
  ["an answer of the terminal", "\x1b]11;rgb:00/00/00\x07", [{ type: "reply", text: "11;rgb:00/00/00" }]],
];

for (const [name, text, expected] of CASES) {
  test(`${name}, however the bytes are split`, () => {
    const bytes = Buffer.from(text);
    assert.deepEqual(decode(bytes), expected);
    for (let cut = 1; cut < bytes.length; cut++) {
      const split = decode(bytes, [cut]);
      const joined =
        split.length > 1 && split.every((one) => one.type === "text")
          ? [{ type: "text", text: split.map((one) => (one.type === "text" ? one.text : "")).join("") }]
          : split;
      assert.deepEqual(joined, expected, `cut at ${cut}`);
    }
  });
}

test("a paste that lost its end is one event after the silence", () => {
  assert.deepEqual(decode(Buffer.from("\x1b[200~lost")), [{ type: "paste", text: "lost" }]);
});
