import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { proves } from "../../fixtures/requirements.js";
import { ALL_KEYS } from "../app/all-keys.gen.js";
import { layOutHome } from "../base/home.js";
import { MUTATION_VERIFIER } from "../chat/config/keys.js";
import { configKey } from "../contracts/config/config.js";
import { REDACT_SECRETS } from "../safety/config/keys.js";
import { addressRefusal } from "../safety/net/address.js";
import { editList, editSettings } from "./edit-settings.js";
import { loadConfig } from "./load-config.js";

/** Configuration as a home with this file and environment has it. */
async function configured(t: TestContext, text: string, env: Readonly<Record<string, string>> = {}, keys = ALL_KEYS) {
  const dir = mkdtempSync(join(tmpdir(), "config-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "config.yaml"), text);
  return { dir, config: await loadConfig({ home: layOutHome(dir), env, clock: manualClock(), keys }) };
}

const REDACTION = [
  { what: "nothing said", text: "", env: {}, on: true },
  { what: "switched off in the file", text: "security:\n  redact_secrets: false\n", env: {}, on: false },
  {
    what: "the variable against the file",
    text: "security:\n  redact_secrets: false\n",
    env: { AGENT_REDACT_SECRETS: "yes" },
    on: true,
  },
  { what: "the variable alone", text: "", env: { AGENT_REDACT_SECRETS: "0" }, on: false },
  { what: "a variable that says nothing", text: "", env: { AGENT_REDACT_SECRETS: "maybe" }, on: true },
];
for (const { what, text, env, on } of REDACTION) {
  test(`redaction with ${what} is ${on ? "on" : "off"}`, async (t) => {
    proves(t, "config.security.redact-secrets");
    const { config } = await configured(t, text, env);
    assert.equal(config.get(REDACT_SECRETS), on);
  });
}

const FOOTER = [
  { what: "nothing said", text: "", env: {}, on: true },
  {
    what: "the variable against the file",
    text: "display:\n  file_mutation_verifier: true\n",
    env: { AGENT_FILE_MUTATION_VERIFIER: "0" },
    on: false,
  },
  { what: "the file alone", text: "display:\n  file_mutation_verifier: false\n", env: {}, on: false },
];
for (const { what, text, env, on } of FOOTER) {
  test(`the footer of unchanged files with ${what} is ${on ? "on" : "off"}`, async (t) => {
    proves(t, "config.display.file-mutation-verifier");
    const { config } = await configured(t, text, env);
    assert.equal(config.get(MUTATION_VERIFIER), on);
  });
}

test("a setting that the file does not know yet has its default, and the file and its version stay as they are", async (t) => {
  proves(t, "config.new-keys");
  const text = "_config_version: 1\ndisplay:\n  old: true\n";
  const added = configKey({ key: "display.added_later", kind: { type: "integer" }, default: 7, help: "A new one." });
  const { config, dir } = await configured(t, text, {}, [...ALL_KEYS, added]);
  assert.deepEqual([config.get(added), config.source(added)], [7, "default"]);
  assert.equal(config.raw("display.old"), true);
  assert.deepEqual(config.problems(), []);
  assert.deepEqual(readdirSync(dir), ["config.yaml"]);
  assert.equal(readFileSync(join(dir, "config.yaml"), "utf8"), text);
});

test("a key that no part of the program has is kept, and told with the nearest known one", async (t) => {
  const { config } = await configured(
    t,
    "agent:\n  max_turn: 3\nquick_commands:\n  hi: {type: alias, target: status}\n",
  );
  assert.deepEqual(config.problems(), []);
  assert.deepEqual(config.warnings(), ["agent.max_turn: unknown key, did you mean agent.max_turns?"]);
  assert.equal(config.raw("agent.max_turn"), 3);
});

test("fallback models in the settings were called unknown, and could not be set", async (t) => {
  const text = "fallback_providers:\n  - {provider: acme, model: m}\nfallback_model: {provider: acme, model: n}\n";
  const { config } = await configured(t, text);
  assert.deepEqual(config.warnings(), []);
});

test("a settings file of a later version is read as far as it goes, and never written", async (t) => {
  const text = "_config_version: 99\nagent:\n  max_turns: 7\n";
  const { config, dir } = await configured(t, text, {});
  assert.equal(config.raw("agent.max_turns"), 7);
  const path = join(dir, "config.yaml");
  await assert.rejects(
    editSettings(path, "agent.max_turns", 5),
    /_config_version is 99, this version supports up to 1; nothing was written/,
  );
  await assert.rejects(editList(path, "fallback_providers", { add: "x" }), /nothing was written/);
  assert.equal(readFileSync(path, "utf8"), text);
});

test("every setting that the refusal of an address names can be set", () => {
  const rule = { purpose: "web", allowPrivate: false, fakeRanges: [] } as const;
  const said = addressRefusal("198.18.0.7", "example.org", true, rule) ?? "";
  const named = said.match(/security\.\w+/g) ?? [];
  assert.deepEqual(named, ["security.allow_private_urls", "security.fake_ip_ranges"]);
  for (const key of named)
    assert.ok(
      ALL_KEYS.some((known) => known.key === key),
      key,
    );
  assert.equal(
    addressRefusal("198.18.0.7", "example.org", true, { ...rule, fakeRanges: ["198.18.0.0/15"] }),
    undefined,
  );
});
