import assert from "node:assert/strict";
import { test } from "node:test";
import {
  COMBINATIONS,
  type Combination,
  combinations,
  headOf,
  matrixRules,
  oracle,
} from "../../fixtures/http/guard-cases.js";
import { type Admitted, admitProxyRequest, type ProxyGate } from "./admit.js";

const PATH = "/v1/chat/completions";
const RIGHT = "r".repeat(43);
const GATE: ProxyGate = {
  rules: matrixRules(false),
  paths: [PATH, "/v1/models"],
  token: RIGHT,
  maxBodyBytes: 64 << 20,
};

for (const token of [RIGHT, undefined]) {
  test(`every combination of the guard is let in or refused as the specification says, ${token ? "with" : "without"} a token`, () => {
    const all = combinations();
    assert.equal(all.length, COMBINATIONS);
    for (const one of all)
      assert.equal(
        statusOf(admitProxyRequest(asked(one), { ...GATE, token })),
        expected(one, token),
        JSON.stringify(one),
      );
  });
}

test("a path that is not served is reported before its method, and after the token", () => {
  const [one] = combinations().filter((each) => expected(each, RIGHT) === 200);
  assert.ok(one !== undefined);
  const elsewhere = { ...asked(one), method: "DELETE", target: "/v1/files" };
  assert.equal(statusOf(admitProxyRequest(elsewhere, GATE)), 404);
  assert.equal(
    statusOf(
      admitProxyRequest(
        { ...elsewhere, headers: elsewhere.headers.filter(([name]) => name !== "Authorization") },
        GATE,
      ),
    ),
    401,
  );
});

/** What the oracle of the guard says, with what is the proxy's own: a browser may ask first, the type may be missing, the token may not be needed. */
function expected(one: Combination, token: string | undefined): number {
  const guarded = oracle({ ...one, method: plain(one.method), token: "right", type: "application/json" }, false);
  if (guarded !== 200) return guarded;
  if (one.method === "OPTIONS" && one.origin.allowed) return 204;
  if (token !== undefined && one.token !== "right") return 401;
  if (one.method !== "POST") return 405;
  return one.type === "text/plain" ? 415 : 200;
}

const plain = (method: Combination["method"]) => (method === "CONNECT" || method === "TRACE" ? method : "POST");

function asked(one: Combination) {
  const { headers, ...head } = headOf(one);
  const bearer = (value: string) => `Bearer ${value === "right" ? RIGHT : value}`;
  return {
    ...head,
    target: PATH,
    headers: headers.map(([name, value]) => [name, name === "Authorization" ? bearer(value) : value] as const),
  };
}

function statusOf(admitted: Admitted): number {
  return admitted.kind === "forward" ? 200 : admitted.kind === "preflight" ? 204 : admitted.refusal.status;
}
