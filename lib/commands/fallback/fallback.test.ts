import assert from "node:assert/strict";
import { test } from "node:test";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { modelsWorld } from "../../../fixtures/sim/models-cli.js";

const CONFIG = `# my models
model:
  provider: custom
  base_url: http://127.0.0.1:9/v1
  default: main-1
providers:
  p: { base_url: "http://127.0.0.1:8/v1", api_key: a-key-nobody-sees }
`;
const CHAIN = `${CONFIG}fallback_providers:
  # the good one
  - { provider: p, model: m1 }
  - provider: p # the cheap one
    model: m2
`;

test("C83: a model is added once; the second time and the primary are refused", async (t) => {
  const { run, file } = await modelsWorld(t, CONFIG);
  const add = (provider: string, model: string) => run("fallback", "add", "--provider", provider, "--model", model);
  const first = await add("p", "m");
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /^Added m via p\./);
  const second = await add("p", "m");
  assert.deepEqual([second.code, second.out], [1, ""]);
  assert.match(second.err, /m via p is already entry 1 of the chain/);
  const primary = await add("custom", "main-1");
  assert.equal(primary.code, 1);
  assert.match(primary.err, /main-1 via custom is the primary/);
  assert.match(file(), /^# my models\n/);
});

test("the primary under another name is the primary too", async (t) => {
  const { run } = await modelsWorld(t, CONFIG);
  const ran = await run(
    "fallback",
    "add",
    "--provider",
    "other",
    "--model",
    "main-1",
    "--base-url",
    "http://127.0.0.1:9/v1/",
  );
  assert.equal(ran.code, 1);
});

test("the list shows primary and chain, and no key", async (t) => {
  const { run } = await modelsWorld(t, CHAIN);
  const ran = await run("fallback");
  assert.deepEqual(ran.out, "Primary: main-1 via custom (http://127.0.0.1:9/v1)\n1. m1 via p\n2. m2 via p\n");
  const json = await run("fallback", "list", "--json");
  assert.deepEqual(
    JSON.parse(json.out).entries.map((entry: { model: string; has_key: boolean }) => [entry.model, entry.has_key]),
    [
      ["m1", true],
      ["m2", true],
    ],
  );
  assert.ok(!`${ran.out}${json.out}`.includes("nobody-sees"));
});

test("an empty chain explains when fallbacks run", async (t) => {
  const { run } = await modelsWorld(t, CONFIG);
  assert.match((await run("fallback", "list")).out, /chain is empty.*rate limit[\s\S]*agent fallback add/);
});

test("entries move and go, and the comments of the others stay", async (t) => {
  const { run, file } = await modelsWorld(t, CHAIN);
  assert.equal((await run("fallback", "move", "2", "1")).code, 0);
  assert.match((await run("fallback", "list")).out, /1\. m2 via p\n2\. m1 via p/);
  assert.equal((await run("fallback", "remove", "2")).code, 0);
  assert.match(file(), /# the cheap one/);
  assert.match(file(), /^# my models\n/);
  assert.equal((await run("fallback", "clear", "-y")).code, 0);
  assert.ok(!file().includes("fallback_providers"));
});

const MISUSE: readonly (readonly [argv: readonly string[], code: number, said: RegExp])[] = [
  [["add"], 2, /missing --provider; cannot prompt without a terminal/],
  [["add", "--provider", "p"], 2, /missing --model/],
  [["add", "--provider", "auto", "--model", "m"], 1, /auto cannot be a fallback/],
  [["add", "--provider", "x", "--model", "m", "--base-url", "localhost"], 1, /not an http or https URL/],
  [["remove"], 2, /missing number of the entry/],
  [["remove", "3"], 1, /no fallback entry 3/],
  [["remove", "zero"], 2, /place/],
  [["move", "1"], 2, /to/],
  [["move", "1", "9"], 1, /no fallback entry 9/],
  [["clear"], 2, /removes 2 entries; confirm with -y/],
];

for (const [argv, code, said] of MISUSE) {
  test(`agent fallback ${argv.join(" ")} exits with ${code} and changes nothing`, async (t) => {
    const { run, file } = await modelsWorld(t, CHAIN);
    const ran = await run("fallback", ...argv);
    assert.equal(ran.code, code, ran.err);
    assert.match(ran.err, said);
    assert.equal(file(), CHAIN);
  });
}

test("a chain under the older name goes on to the newer one with its first change", async (t) => {
  const { run, file } = await modelsWorld(t, `${CONFIG}fallback_model: { provider: p, model: old }\n`);
  assert.match((await run("fallback", "list")).out, /1\. old via p/);
  assert.equal((await run("fallback", "add", "--provider", "p", "--model", "new")).code, 0);
  assert.match((await run("fallback", "list")).out, /1\. old via p\n2\. new via p/);
  assert.ok(!file().includes("fallback_model"));
});

test("a provider that is not there yet, and a key that is not set, are reported", async (t) => {
  const { run } = await modelsWorld(t, CONFIG);
  const ran = await run("fallback", "add", "--provider", "later", "--model", "m", "--key-env", "LATER_KEY");
  assert.equal(ran.code, 0);
  assert.match(ran.err, /provider later is not configured/);
  assert.match(ran.err, /LATER_KEY is not set/);
});

test("a name means what the providers list: an id, a unique beginning, provider:model, an alias", async (t) => {
  const server = await startModelServer({ models: ["alpha-1", "alpha-2", "beta-1"] });
  t.after(() => server.close());
  const { models, run } = await modelsWorld(
    t,
    `providers:\n  q: { base_url: "${server.url}" }\nmodel_aliases: { fast: "q:beta-1" }\n`,
  );
  const meant = async (model: string) => {
    const found = await models.resolve({ model });
    return `${found.provider} ${found.model}`;
  };
  assert.equal(await meant("alpha-2"), "q alpha-2");
  assert.equal(await meant("BET"), "q beta-1");
  assert.equal(await meant("q:alpha-1"), "q alpha-1");
  await assert.rejects(meant("alpha"), /is ambiguous: q:alpha-1, q:alpha-2/);
  await assert.rejects(meant("gamma"), /no provider offers gamma/);
  assert.equal(await meant("q:gamma"), "q gamma"); // the user knows more than the list
  const ambiguous = await run("model", "alpha");
  assert.deepEqual([ambiguous.code, /q:alpha-1, q:alpha-2/.test(ambiguous.err)], [2, true], "wrong usage");
});
