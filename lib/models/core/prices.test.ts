import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_USAGE } from "../../contracts/models/model.js";
import { cataloguePrice, priced } from "./prices.js";

test("a price is known by the exact model, whatever its vendor's prefix and release date", () => {
  for (const id of ["gpt-5", "openai/GPT-5", "gpt-5-2025-08-07", "gpt-5-latest"])
    assert.equal(cataloguePrice(id)?.output, 10, id);
  for (const id of ["gpt-5-something", "gpt-55", "constructor", ""]) assert.equal(cataloguePrice(id), undefined, id);
});

test("what the provider reports stands; otherwise each kind of token has its own price", () => {
  const price = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 };
  const usage = { ...NO_USAGE, input: 1_000_000, output: 100_000, cacheRead: 2_000_000, cacheWrite: 400_000 };
  const { costUsd, estimated } = priced(usage, price);
  assert.deepEqual([costUsd?.toFixed(6), estimated], ["2.700000", true]);
  assert.deepEqual(priced({ ...usage, costUsd: 0.5 }, price), { ...usage, costUsd: 0.5 });
  assert.deepEqual(priced(usage, undefined), usage);
});
