import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { modelsWorld } from "../../fixtures/sim/models-cli.js";
import { type FallbackStep, manageFallback } from "./setup-fallback.js";
import { stepHere } from "./store-change.js";

const CONFIG = `model: { provider: offline }
providers:
  acme: { base_url: "http://127.0.0.1:9/v1", models: { big: {}, small: {} } }
# who takes over
fallback_providers:
  - { provider: acme, model: big } # mine
`;

async function managed(t: TestContext, ...answers: readonly string[]) {
  const world = await modelsWorld(t, CONFIG);
  const gone = new AbortController();
  const said: string[] = [];
  const left = [...answers];
  const person = {
    ask: async (question: string) => {
      said.push(question);
      const answer = left.shift();
      if (answer === undefined) gone.abort();
      return answer ?? "";
    },
    say: async (line: string) => void said.push(line),
    signal: gone.signal,
  };
  const change = (step: FallbackStep) => stepHere(world.models, step);
  const ended = manageFallback(person, {
    chain: () => world.models.chain(),
    change,
    offered: () => world.models.offered(false),
  });
  return { ...world, ended, said };
}

test("fallback providers are added, moved and removed in a dialogue, each at once and with the comments of the file", async (t) => {
  proves(t, "cli.fallback");
  const other = ["add", "other", "box", "http://127.0.0.1:8/v1", "BOX_KEY", "boxed"];
  const { ended, file, said } = await managed(
    t,
    "add",
    "acme",
    "small",
    ...other,
    "move",
    "3",
    "1",
    "remove",
    "3",
    "done",
  );
  await ended;
  const text = file();
  assert.ok(text.includes("# who takes over") && text.includes("# mine"));
  assert.deepEqual(
    [...text.slice(text.indexOf("fallback_providers")).matchAll(/model: (\w+)/g)].map(([, model]) => model),
    ["boxed", "big"],
  );
  assert.match(text, /key_env: BOX_KEY/);
  assert.ok(said.some((line) => line.includes("1. boxed via box (http://127.0.0.1:8/v1)")));
});

test("what the chain refuses is reported, and the dialogue goes on; clearing is asked about", async (t) => {
  const { ended, file, said } = await managed(
    t,
    "add",
    "acme",
    "big",
    "remove",
    "7",
    "1",
    "add",
    "acme",
    "big",
    "clear",
    "",
    "clear",
    "y",
    "",
  );
  await ended;
  assert.ok(said.some((line) => line.includes("is already entry 1 of the chain")));
  assert.ok(said.some((line) => line.includes("Enter a number from 1 to 1.")));
  assert.ok(!file().includes("model: big"));
});

test("who leaves in the middle keeps what was changed", async (t) => {
  const { ended, file } = await managed(t, "add", "acme", "small", "remove");
  await assert.rejects(ended, { code: "E_INTERRUPTED" });
  assert.ok(file().includes("model: small"));
});
