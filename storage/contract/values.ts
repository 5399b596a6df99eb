import assert from "node:assert/strict";
import { type ContractCase, rejectsWith, roundTrip } from "./case.js";

const MEBIBYTE = 1 << 20;

const KEPT: readonly {
  name: string;
  column: "amount" | "ratio" | "note";
  value: string | number | null;
  becomes?: unknown;
}[] = [
  { name: "zero stays zero", column: "amount", value: 0 },
  { name: "negative zero becomes zero", column: "amount", value: -0, becomes: 0 },
  { name: "negative zero becomes zero in a real column", column: "ratio", value: -0, becomes: 0 },
  { name: "the largest safe integer is kept", column: "amount", value: Number.MAX_SAFE_INTEGER },
  { name: "the smallest safe integer is kept", column: "amount", value: Number.MIN_SAFE_INTEGER },
  { name: "an integer above 32 bits is kept", column: "amount", value: 1_700_000_000_123 },
  { name: "a fraction is kept", column: "ratio", value: 0.1 },
  { name: "a tiny fraction is kept", column: "ratio", value: Number.MIN_VALUE },
  { name: "a fraction with all its digits is kept", column: "ratio", value: 123456789.12345679 },
  { name: "null is kept", column: "note", value: null },
  { name: "the empty text is kept and is not null", column: "note", value: "" },
  { name: "a blank is kept", column: "note", value: " " },
  { name: "a text that looks like a number stays a text", column: "note", value: "007" },
  { name: "quotes and SQL in a text are text", column: "note", value: "'; DROP TABLE things; --\"`" },
  { name: "line breaks and tabs are kept", column: "note", value: "a\r\n\tb\n" },
  { name: "control characters other than NUL are kept", column: "note", value: "\u0001\u001b[2J\u007f\u0085" },
  { name: "NUL becomes the replacement character", column: "note", value: "a\0b\0", becomes: "a\ufffdb\ufffd" },
  {
    name: "a lone high surrogate becomes the replacement character",
    column: "note",
    value: "a\ud800b",
    becomes: "a\ufffdb",
  },
  {
    name: "a lone low surrogate becomes the replacement character",
    column: "note",
    value: "\udc00",
    becomes: "\ufffd",
  },
  {
    name: "a swapped surrogate pair becomes two replacement characters",
    column: "note",
    value: "\udc00\ud800",
    becomes: "\ufffd\ufffd",
  },
  {
    name: "emoji, combining marks and right-to-left text are kept",
    column: "note",
    value: "👩‍👩‍👧 e\u0301 עברית 漢字",
  },
  { name: "a byte order mark is kept", column: "note", value: "\ufefftext" },
  { name: "non-characters are kept", column: "note", value: "\uffff\ufffe\u{10ffff}" },
  { name: "a text of one mebibyte is kept", column: "note", value: "x".repeat(MEBIBYTE) },
  { name: "a text of one mebibyte beyond ASCII is kept", column: "note", value: "é漢🙂".repeat(MEBIBYTE / 9) },
];

const REFUSED: readonly { name: string; value: unknown }[] = [
  { name: "undefined is refused", value: undefined },
  { name: "a blob is refused", value: new Uint8Array([1]) },
  { name: "a bigint is refused", value: 1n },
  { name: "a truth value is refused", value: true },
  { name: "NaN is refused", value: Number.NaN },
  { name: "infinity is refused", value: Number.POSITIVE_INFINITY },
  { name: "an integer beyond the safe range is refused", value: 2 ** 53 },
  { name: "an object is refused", value: { a: 1 } },
  { name: "a date is refused", value: new Date(0) },
];

export const valueCases: readonly ContractCase[] = [
  ...KEPT.map(({ name, column, value, becomes }) => ({
    name,
    run: async ({ open }: Parameters<ContractCase["run"]>[0]) => {
      const stored = await roundTrip(await open(), column, value);
      assert.ok(
        Object.is(stored, becomes === undefined ? value : becomes),
        `${String(stored).slice(0, 100)} came back`,
      );
    },
  })),
  ...REFUSED.map(({ name, value }) => ({
    name,
    run: async ({ open }: Parameters<ContractCase["run"]>[0]) => {
      const store = await open();
      await rejectsWith("E_INVALID", () => roundTrip(store, "note", value));
    },
  })),
];
