import assert from "node:assert/strict";
import { test } from "node:test";
import { configKey } from "../../lib/contracts/config/config.js";
import type { Modules } from "./modules.js";
import { allKeys } from "./setting-tables.js";

const setting = (key: string, usual: unknown = 1) =>
  configKey<unknown>({ key, kind: { type: "any" }, default: usual, help: "One." });

/** Files with what they export, and their texts. */
function textOf(files: Readonly<Record<string, readonly [exports: object, text?: string]>>): string {
  const modules: Modules = new Map(Object.entries(files).map(([file, [exports]]) => [file, { ...exports }]));
  return allKeys(modules, (file) => files[file]?.[1] ?? "");
}

test("a list of settings is found wherever it is exported, without a row elsewhere", () => {
  const text = textOf({
    "lib/x/keys.ts": [{ X_KEYS: [setting("x.a")], LATER: setting("x.a") }],
    "adapters/y/keys.ts": [{ Y_KEYS: [setting("y.a")] }],
    "lib/app/own.ts": [{ OWN_KEYS: [setting("own.a")] }],
  });
  assert.match(text, /import \{ Y_KEYS \} from "\.\.\/\.\.\/adapters\/y\/keys\.js";/);
  assert.match(text, /import \{ OWN_KEYS \} from "\.\/own\.js";/);
  assert.match(text, / {2}\.\.\.Y_KEYS,\n {2}\.\.\.OWN_KEYS,\n {2}\.\.\.X_KEYS,\n/);
});

test("a list that is part of another one is taken once", () => {
  const inner = setting("x.a");
  const text = textOf({
    "lib/x/inner.ts": [{ INNER_KEYS: [inner] }],
    "lib/x/keys.ts": [{ X_KEYS: [inner, setting("x.b")] }],
  });
  assert.doesNotMatch(text, /INNER_KEYS/);
});

test("settings of a command, a tool or a provider are copied: it is not loaded for them", () => {
  const text = textOf({ "lib/commands/x.ts": [{ X_KEYS: [setting("x.a", 5)] }, "export default defineCommand({})"] });
  assert.doesNotMatch(text, /import \{ X_KEYS/);
  assert.match(text, /\{"key":"x\.a","kind":\{"type":"any"\},"default":5,"help":"One\."\},/);
});

test("a setting of a definition that is not plain data is refused by its name", () => {
  const files = {
    "lib/commands/x.ts": [{ X_KEYS: [setting("x.a", Infinity)] }, "export default defineCommand({})"],
  } as const;
  assert.throws(() => textOf(files), /lib\/commands\/x\.ts: the setting x\.a of a definition must be plain data/);
});

test("a setting that is in no list is refused by its name: it could be read and never set", () => {
  const text = 'const A = configKey<number>({\n  key: "x.a",\n});\nconst B = configKey({ key: "x.b" });';
  const files = { "lib/x/keys.ts": [{ X_KEYS: [setting("x.a")] }, text] } as const;
  assert.throws(() => textOf(files), /lib\/x\/keys\.ts: x\.b is in no list of settings: .*_KEYS/);
});

test("two lists of one name are refused", () => {
  const files = {
    "adapters/x/keys.ts": [{ X_KEYS: [setting("x.a")] }],
    "lib/x/keys.ts": [{ X_KEYS: [setting("x.b")] }],
  } as const;
  assert.throws(
    () => textOf(files),
    /lib\/x\/keys\.ts: a list of settings X_KEYS is exported by adapters\/x\/keys\.ts/,
  );
});
