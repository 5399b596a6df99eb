import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";

const providerAt = (url: string) => `
providers:
  priced:
    base_url: ${url}
    models: {m: {context_length: 100000, price: {input: 1000, output: 2000}}}
`;

test("a price in the settings gives costs where the provider reports none, marked as estimated, and --max-cost counts them", async (t) => {
  const replies = [{ tool_calls: [{ name: "todo", arguments: {} }] }, { text: "done" }];
  const made = await world(t, { model: { script: { pick: "history", replies } }, name: "m" });
  appendFileSync(made.home.config, providerAt(made.model.url));
  const ask = async (...more: string[]) => {
    const { out } = await made.run(["-z", "hello", "--provider", "priced", "--model", "m", "--json", ...more]);
    return JSON.parse(out.trimEnd().split("\n").at(-1) ?? "{}");
  };
  const ended = await ask();
  assert.deepEqual([ended.final_response, ended.cost_status, ended.cost_source], ["done", "estimated", "list prices"]);
  const { input_tokens: input, output_tokens: output } = ended;
  assert.equal(ended.estimated_cost_usd.toFixed(6), ((input * 1_000 + output * 2_000) / 1_000_000).toFixed(6));
  assert.match((await made.run(["cost", "all"])).out, /about \$0\.2800 {2}in total/);
  assert.equal((await ask("--max-cost", "0.000001")).exit_reason, "cost_limit_reached");
});
