import assert from "node:assert/strict";
import { test } from "node:test";
import {
  COMBINATIONS,
  type Combination,
  combinations,
  headOf,
  MARKED,
  MATRIX_PATH,
  matrixRules,
  oracle,
} from "../../fixtures/http/guard-cases.js";
import { askInProcess } from "../../fixtures/http/in-process.js";
import { silentLog } from "../base/log/log.js";
import { defineEndpoint } from "./endpoint.js";
import { serveEndpoints } from "./serve.js";

test(`a listener of endpoints answers ${COMBINATIONS} combinations as the specification says, ${MARKED} of them marked by a browser`, async () => {
  const all = combinations();
  const answer = serveEndpoints({
    endpoints: [ENDPOINT],
    parts: undefined,
    rules: () => matrixRules(true),
    log: silentLog,
    maxBody: 10,
    isPrivate: () => true,
    admit: ({ request }) => (request.headers.authorization === "right" ? "known" : "unknown"),
  });
  for (const one of all) {
    const status = await askInProcess(answer, headOf(one), "{}");
    if (status !== expected(one)) assert.fail(`${status} in place of ${expected(one)}: ${JSON.stringify(one)}`);
  }
  assert.equal(all.length, COMBINATIONS);
});

const ENDPOINT = defineEndpoint({
  method: "POST",
  path: MATRIX_PATH,
  summary: "The path of the matrix.",
  tag: "test",
  answer: "none",
  run: async (_request, _parts: undefined) => ({ json: {} }),
});

/** Beside what holds for every listener, this one tells an origin that may call it what it may send: browsers ask that without a token. */
function expected(one: Combination): number {
  const asked = one.method === "OPTIONS" && one.host.fine && one.origin.allowed && one.origin.origins.length === 1;
  return asked ? 204 : oracle(one, true);
}
