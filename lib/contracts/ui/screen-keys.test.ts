import assert from "node:assert/strict";
import { test } from "node:test";
import { conflictsIn, keyLabel, keyLabels, parseKey, type ScreenKey, withUserKeys } from "./screen-keys.js";

const SPELLINGS: readonly (readonly [written: string, key: string | undefined, shown: string])[] = [
  ["Alt+M", "alt+m", "Alt+M"],
  ["alt+shift+m", "alt+M", "Alt+Shift+M"],
  ["^X", "ctrl+x", "Ctrl+X"],
  ["C-x", "ctrl+x", "Ctrl+X"],
  ["PgUp", "pageup", "PgUp"],
  ["shift+TAB", "shift+tab", "Shift+Tab"],
  ["Ctrl+Alt+Left", "ctrl+alt+left", "Ctrl+Alt+←"],
  ["F8", "f8", "F8"],
  ["G", "G", "G"],
  ["+", "+", "+"],
  ["ctrl++", "ctrl++", "Ctrl++"],
  ["Hyper+X", undefined, ""],
  ["constructor+x", undefined, ""],
  ["F99", undefined, ""],
  ["", undefined, ""],
];
for (const [written, key, shown] of SPELLINGS)
  test(`a key written "${written}" is ${key ?? "no key"}`, () => {
    assert.equal(parseKey(written), key);
    if (key !== undefined) assert.equal(keyLabel(key), shown);
  });

const TABLE: readonly ScreenKey[] = [
  { id: "zoom", context: "everywhere", keys: ["f8"], label: "zoom", hint: "F8 zoom" },
  { id: "zoom", context: "list", keys: ["z"], label: "zoom" },
  { id: "help", context: "everywhere", keys: ["f1"], label: "help" },
  { id: "interrupt", context: "everywhere", keys: ["ctrl+c"], label: "interrupt" },
];
const keysOf = (table: readonly ScreenKey[]) => table.map(({ id, keys }) => `${id} ${keys.join(",")}`);

test("keys of the user take the place of the built-in ones, in hints too", () => {
  const { table, problems } = withUserKeys(TABLE, new Map([["zoom", ["alt+m"]]]));
  assert.deepEqual([keysOf(table), problems], [["zoom alt+m", "zoom alt+m", "help f1", "interrupt ctrl+c"], []]);
  assert.equal(table[0]?.hint, "Alt+M zoom");
});

test("none takes a key away", () => {
  const { table } = withUserKeys(TABLE, new Map([["zoom", []]]));
  assert.deepEqual([keysOf(table).slice(0, 2), table[0]?.hint], [["zoom ", "zoom "], undefined]);
});

test("a letter acts in panes, and never where one types", () => {
  const { table, problems } = withUserKeys(TABLE, new Map([["zoom", ["Q"]]]));
  assert.deepEqual(keysOf(table).slice(0, 2), ["zoom f8", "zoom Q"]);
  assert.match(problems.join(), /zoom: Q cannot be a key everywhere/);
});

test("a key that another action has is taken from it, and that is reported", () => {
  const { table, problems } = withUserKeys(TABLE, new Map([["zoom", ["f1"]]]));
  assert.deepEqual(keysOf(table)[2], "help ");
  assert.match(problems.join(), /F1 is now zoom; help \(everywhere\) no longer has a key/);
});

test("two actions that the user gives one key: the first one has it, and that is reported", () => {
  const { table, problems } = withUserKeys(
    TABLE,
    new Map([
      ["zoom", ["alt+m"]],
      ["help", ["alt+m"]],
    ]),
  );
  assert.deepEqual(keysOf(table)[2], "help ");
  assert.match(problems.join(), /help: Alt\+M is already assigned to another action/);
});

test("Ctrl+C stays the way out", () => {
  const { table, problems } = withUserKeys(
    TABLE,
    new Map([
      ["interrupt", []],
      ["zoom", ["ctrl+c"]],
    ]),
  );
  assert.deepEqual(keysOf(table)[3], "interrupt ctrl+c");
  assert.match(problems.join(), /Ctrl\+C is reserved for interrupt/);
});

test("an id that nothing has is reported with one that may be meant", () => {
  assert.match(
    withUserKeys(TABLE, new Map([["zoo", ["f9"]]])).problems.join(),
    /zoo: unknown action, did you mean zoom\?/,
  );
});

test("two rows of one context with one key are a conflict unless a condition tells them apart", () => {
  const row = (id: string, when?: () => boolean) => ({
    id,
    context: "list",
    keys: ["x"],
    label: id,
    ...(when === undefined ? {} : { when }),
  });
  assert.deepEqual(conflictsIn([row("a"), row("b")]), ["list: x is a and b"]);
  assert.deepEqual(conflictsIn([row("a", () => true), row("b")]), []);
});

test("a key that terminals tell in two ways is named once", () => {
  assert.equal(keyLabels([" ", "space", "enter"]), "Space, Enter");
});
