import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { ALL_KEYS } from "../app/all-keys.gen.js";
import { layOutHome } from "../base/home.js";
import { loadConfig } from "./load-config.js";
import { createSettings } from "./settings-service.js";

const FILE = `# what I like
model:
  default: fake-1 # the small one
providers:
  acme:
    base_url: https://acme.example
    api_key: sk-1234567890
    auth_token: |
      line one
      line two
    headers: { Authorization: Bearer sk-header, X-Api-Key: sk-other, Accept: text/plain }
  other:
    api_key: \${OTHER_KEY}
    # api_key: sk-old-one
kanban:
  failure_limit: 3 # patience
`;

async function settings(t: TestContext, { text = FILE, env = "" } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "settings-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = layOutHome(dir);
  writeFileSync(home.config, text);
  if (env !== "") writeFileSync(home.env, env);
  const api = createSettings(home, await loadConfig({ home, env: {}, clock: manualClock(), keys: ALL_KEYS }));
  return { api, file: () => readFileSync(home.config, "utf8"), variables: () => readFileSync(home.env, "utf8") };
}

test("the settings file is shown with its comments and without its secrets, those that are commented out too", async (t) => {
  const { api } = await settings(t);
  const shown = await api.text();
  assert.doesNotMatch(shown, /sk-|line one|line two/);
  for (const kept of [
    "Accept: text/plain",
    "# what I like",
    "fake-1 # the small one",
    "https://acme.example",
    `\${OTHER_KEY}`,
    "failure_limit: 3 # patience",
  ])
    assert.ok(shown.includes(kept), kept);
});

test("a settings file that is broken is not shown: no one knows what in it is secret", async (t) => {
  const { api } = await settings(t, { text: "providers: {api_key: sk-12\n  x" });
  await assert.rejects(api.text(), { code: "E_CONFIG" });
});

test("a variable of .env is read, masked where it is a secret, and removed like a setting", async (t) => {
  const { api, variables } = await settings(t, { env: "# mine\nACME_API_KEY=sk-1\nACME_URL=https://a.example\n" });
  assert.equal(api.get("ACME_API_KEY")?.value, "[secret]");
  assert.equal(api.get("ACME_URL")?.value, "https://a.example");
  assert.equal(api.get("OTHER_URL"), undefined);
  assert.equal((await api.set("ACME_KEY", "sk-2", { asText: false, force: false })).value, "[secret]");
  assert.equal(await api.unset("ACME_KEY"), true);
  assert.equal((await api.set("OTHER_URL", "x", { asText: false, force: false })).value, "x");
  assert.equal(await api.unset("ACME_API_KEY"), true);
  assert.equal(await api.unset("ACME_API_KEY"), false);
  assert.equal(variables(), "# mine\nACME_URL=https://a.example\nOTHER_URL=x\n");
});

test("a rule that matches nothing is a finding of the check, with its file and line", async (t) => {
  const { api } = await settings(t);
  writeFileSync(join(dirname(api.path), "permissions.yaml"), 'deny:\n  - cat\n  - "{paths: [/x]}"\n');
  const found = (await api.check()).map(({ message }) => message).join("\n");
  assert.match(found, /permissions\.yaml:3: \{paths: \[\/x\]\} is not a rule/);
});

test("several settings are changed at once, and every comment stays", async (t) => {
  const { api, file } = await settings(t);
  await api.change({
    "kanban.failure_limit": 5,
    "kanban.auto_decompose": false,
    "model.default": null,
    "providers.acme.api_key": "[secret]",
  });
  assert.equal(api.get("kanban.failure_limit")?.value, 5);
  assert.match(file(), /failure_limit: 5 # patience/);
  assert.match(file(), /auto_decompose: false/);
  assert.match(file(), /api_key: sk-1234567890/);
  assert.doesNotMatch(file(), /default: fake-1/);
});

test("a setting that is not in the file is removed without a word, from an empty file too", async (t) => {
  for (const text of ["", "# nothing yet\n", "kanban: null\n", FILE]) {
    const { api, file } = await settings(t, { text });
    await api.change({ "kanban.default_assignee": null });
    assert.equal(file(), text);
  }
});

test("a section that is sent back as it was shown, with one change, keeps its secrets, its variables and its comments", async (t) => {
  const text = `providers:
  acme:
    base_url: https://\${HOST}/v1 # theirs
    api_key: sk-1234567890 # paid
    models:
      gpt-4.1: {window: 5} # large
  gone:
    api_key: \${OTHER_KEY}
  other:
    api_key: \${OTHER_KEY}
`;
  const { api, file } = await settings(t, { text, env: "HOST=acme.example\nOTHER_KEY=sk-other\n" });
  const { gone: _left, ...sent } = structuredClone(api.get("providers")?.value) as Record<
    string,
    Record<string, unknown>
  >; // a map of maps, as above
  assert.deepEqual([sent["acme"]?.["api_key"], sent["other"]?.["api_key"]], ["[secret]", "[secret]"]);
  await api.change({
    providers: { ...sent, acme: { ...sent["acme"], api_mode: "chat", models: { "gpt-4.1": { window: 6 } } } },
  });
  const changed = text
    .replace("window: 5", "window: 6")
    .replace(/ {2}gone:\n.*\n/, "")
    .replace("  other:", "    api_mode: chat\n  other:");
  assert.equal(file().replaceAll(/\{ (\S+: \S+) \}/g, "{$1}"), changed);
});

const BARE = ["", "# nothing yet\n", "kanban:\n", "kanban: null # later\n", "kanban: {}\n"];
for (const text of BARE)
  test(`a setting is written into ${JSON.stringify(text)}`, async (t) => {
    const { api, file } = await settings(t, { text });
    await api.change({ "kanban.failure_limit": 4 });
    assert.equal(api.get("kanban.failure_limit")?.value, 4);
    if (text.includes("#")) assert.ok(file().includes(text.slice(text.indexOf("#")).trim()), file());
  });

test("a section that is a plain value is not overwritten", async (t) => {
  const { api, file } = await settings(t, { text: "kanban: 5\n" });
  await assert.rejects(api.change({ "kanban.failure_limit": 4 }), {
    code: "E_CONFIG",
    message: /kanban is not a section/,
  });
  assert.equal(file(), "kanban: 5\n");
});

const REFUSED = [
  { name: "a key that does not exist", values: { "kanban.failure_limit": 5, "kanban.nothing": 1 }, code: "E_USAGE" },
  {
    name: "a value that does not fit",
    values: { "kanban.failure_limit": 5, "kanban.kill_grace_seconds": "soon" },
    code: "E_INVALID",
  },
  {
    name: "the mask of a secret that is not there",
    values: { providers: { new: { api_key: "[secret]" } } },
    code: "E_INVALID",
  },
];
for (const { name, values, code } of REFUSED)
  test(`${name} changes nothing at all`, async (t) => {
    const { api, file } = await settings(t);
    await assert.rejects(api.change(values), { code });
    assert.equal(file(), FILE);
  });

test("variables are written, told by name and removed, and their comments stay", async (t) => {
  const { api, variables } = await settings(t, { env: "# mine\nA_KEY=one # first\nB_KEY='two'\n" });
  await api.setVariable("C_KEY", "a b");
  await api.setVariable("B_KEY", undefined);
  assert.deepEqual(
    [api.variables(), api.reveal("A_KEY"), api.reveal("C_KEY"), api.reveal("B_KEY")],
    [["A_KEY", "C_KEY"], "one", "a b", undefined],
  );
  assert.match(variables(), /^# mine\n/);
  for (const name of [
    "PATH",
    "LD_PRELOAD",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "PYTHONSTARTUP",
    "JAVA_TOOL_OPTIONS",
    "GIT_SSH_COMMAND",
    "NODE_PATH",
    "a b",
    "",
    "1A",
  ])
    await assert.rejects(api.setVariable(name, "x"), { code: "E_INVALID" }, name);
});

const VALUES = [
  "a b",
  'say "x"',
  "it's",
  "C:\\new\\",
  "back\\",
  "both ' and \"",
  "tab\there",
  "#no comment",
  " around ",
  "$HOME",
  '"',
  "",
  "\u2028\u0001",
];
for (const value of VALUES)
  test(`a variable comes back as it was written: ${JSON.stringify(value)}`, async (t) => {
    const { api } = await settings(t);
    await api.setVariable("NAME", value);
    assert.equal(api.reveal("NAME"), value);
  });

test("a variable that stands twice has the value that was written last, and is gone when it is removed", async (t) => {
  const { api, variables } = await settings(t, { env: "# one\nKEY=first\nOTHER=x\nexport KEY=second\n" });
  await api.setVariable("KEY", "new");
  assert.deepEqual([api.reveal("KEY"), variables()], ["new", "# one\nOTHER=x\nKEY=new\n"]);
  const again = await settings(t, { env: "KEY=first\nKEY=second\n" });
  await again.api.setVariable("KEY", undefined);
  assert.equal(again.api.reveal("KEY"), undefined);
});
