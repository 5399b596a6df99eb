import assert from "node:assert/strict";
import test from "node:test";
import { sanitize, sanitizeExact, sanitizeLine } from "./sanitize.js";

const CASES: readonly (readonly [string, string, string])[] = [
  ["plain text, tabs and lines stay", "a\tb\nc", "a\tb\nc"],
  ["a carriage return is a line end", "a\r\nb\rc", "a\nb\nc"],
  ["a CSI is one sign", "a\x1b[2Jb", "a␛b"],
  ["a CSI of one byte is one sign, and what follows is not swallowed", "a\x9b2Jb more text", "a␛b more text"],
  ["an OSC with its text is one sign", "a\x1b]0;title\x07b", "a␛b"],
  ["an OSC that is ended in the other way", "a\x1b]52;c;aGk=\x1b\\b", "a␛b"],
  ["an OSC without an end hides nothing", "a\x1b]0;rm -rf /", "a␛0;rm -rf /"],
  ["an OSC that goes on in the next line hides nothing", "a\x1b]0;b\nc\x07", "a␛0;b\nc␛"],
  ["a DCS is one sign", "a\x1bPq#0\x1b\\b", "a␛b"],
  ["other escapes are one sign each", "a\x1bcb\x1b(0c", "a␛b␛c"],
  ["C0, DEL and C1 are one sign each", "a\x00b\x7fc\x85d\x08", "a␛b␛c␛d␛"],
  ["a lone Escape", "a\x1b", "a␛"],
  ["bidi controls are spelled out", "a\u202eb\u2066c", "a⟪U+202E⟫b⟪U+2066⟫c"],
  ["what cannot be seen is gone", "pass\u200bword\ufeff\u00ad\u2060", "password"],
  ["joined emoji stay joined", "👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍💻", "👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍💻"],
  ["joiners between latin letters are gone", "a\u200db\u200cc", "abc"],
  ["joiners of scripts that need them stay", "نمی\u200cخواهم क्\u200dष", "نمی\u200cخواهم क्\u200dष"],
  ["flags with tags stay, tags by themselves are gone", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 a\u{e0061}b", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 ab"],
  ["a broken character is U+FFFD", "a\ud800b", "a\ufffdb"],
  ["line separators are line ends", "a\u2028b", "a\nb"],
];
for (const [name, given, expected] of CASES) test(name, () => assert.equal(sanitize(given), expected));

test("W11: in commands and paths what cannot be seen is spelled out", () => {
  assert.equal(sanitizeExact("rm\u200b -rf\x1b[2K a\u202eb"), "rm⟪U+200B⟫ -rf␛ a⟪U+202E⟫b");
});

test("a line is one line", () => assert.equal(sanitizeLine("a\n\nb\tc"), "a b c"));
