import assert from "node:assert/strict";
import { test } from "node:test";
import { isPlatformEnabled, platformSettings, type SettingsSource } from "./platform-settings.js";

const source = (env: Record<string, string>, yaml: Record<string, unknown> = {}): SettingsSource => ({
  env,
  raw: (path) => yaml[path],
});
const read = (env: Record<string, string>, yaml?: Record<string, unknown>) =>
  platformSettings("msgt", source(env, yaml));

test("a variable wins over config.yaml, and of its blocks the one at top level wins", () => {
  const yaml = { "gateway.platforms.msgt.mode": "a", "platforms.msgt.mode": "b", "msgt.mode": "c" };
  assert.equal(read({ MSGT_MODE: "v" }, yaml).text("MODE"), "v");
  assert.equal(read({ MSGT_MODE: "" }, yaml).text("MODE"), "c");
  assert.equal(read({}, { ...yaml, "msgt.mode": undefined }).text("MODE"), "b");
  assert.equal(read({}, { "gateway.platforms.msgt.mode": "a" }).text("MODE"), "a");
});

test("a variable may have the name of the program before that of the platform; the short name wins", () => {
  assert.equal(read({ AGENT_MSGT_NOTIFICATIONS: "all" }).text("NOTIFICATIONS"), "all");
  assert.equal(
    read({ AGENT_MSGT_NOTIFICATIONS: "all", MSGT_NOTIFICATIONS: "important" }).text("NOTIFICATIONS"),
    "important",
  );
});

test("lists are comma lists or lists, and a number in one is its exact text", () => {
  assert.deepEqual(read({ MSGT_ALLOWED_USERS: " 1, ,2 " }).list("ALLOWED_USERS"), ["1", "2"]);
  assert.deepEqual(read({}, { "platforms.msgt.allowed_users": [42, "x"] }).list("ALLOWED_USERS"), ["42", "x"]);
  assert.deepEqual(read({}, { "platforms.msgt.allowed_users": 42 }).list("ALLOWED_USERS"), ["42"]);
  assert.deepEqual(read({}).list("ALLOWED_USERS"), []);
});

test("an id that YAML cannot hold exactly is refused with its name", () => {
  const settings = read({}, { "platforms.msgt.allowed_users": [2 ** 53] });
  assert.throws(() => settings.list("ALLOWED_USERS"), /platforms\.msgt\.allowed_users.*quote/);
});

test("a flag that is neither yes nor no is refused by its variable", () => {
  assert.equal(read({ MSGT_X: "on" }).flag("X", false), true);
  assert.equal(read({}).flag("X", true), true);
  assert.throws(() => read({ MSGT_X: "maybe" }).flag("X", false), /MSGT_X must be/);
});

test("a platform is enabled by its credentials, and an explicit no wins over them", () => {
  assert.equal(isPlatformEnabled(read({}), ["BOT_TOKEN"]), false);
  assert.equal(isPlatformEnabled(read({ MSGT_BOT_TOKEN: "t" }), ["BOT_TOKEN"]), true);
  assert.equal(
    isPlatformEnabled(read({ MSGT_BOT_TOKEN: "t" }, { "platforms.msgt.enabled": false }), ["BOT_TOKEN"]),
    false,
  );
  assert.equal(isPlatformEnabled(read({}, { "msgt.enabled": true }), ["BOT_TOKEN"]), true);
});
