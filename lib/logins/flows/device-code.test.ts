import assert from "node:assert/strict";
import { test } from "node:test";
import { type SimAnswer, simNet } from "../../../fixtures/ports/net.js";
import { randomIds } from "../../base/ids.js";
import { NetError } from "../../base/net/net.js";
import { deviceCode } from "./device-code.js";

const START = {
  device_code: "d",
  user_code: "AB-12",
  verification_uri: "https://portal.example/device",
  expires_in: 600,
  interval: 5,
};
const json = (body: unknown, status = 200): SimAnswer => ({ status, body: JSON.stringify(body) });
const oauth = (error: string) => json({ error }, 400);
const TOKENS = json({ access_token: "access-token-1", refresh_token: "r", expires_in: 60 });

/** A login whose polls get these answers; how long each wait was, in seconds. */
async function logIn(polls: readonly SimAnswer[], start: SimAnswer = json(START)) {
  const waits: number[] = [];
  let at = 0;
  const sleep = async (ms: number) => {
    waits.push(ms / 1_000);
    at += ms;
  };
  const clock = { now: () => at, mono: () => at, sleep, after: () => () => undefined };
  const net = simNet();
  const left = [...polls];
  net.route("https://portal.example/api/oauth/device/code", start);
  net.route("https://portal.example/api/oauth/token", () => left.shift() ?? oauth("authorization_pending"));
  const told: string[] = [];
  const addresses = { portal_url: "https://portal.example/", client_id: "c", inference_url: "https://i.example/v1" };
  const listen = () => assert.fail("nobody comes back to this login");
  const hooks = {
    listen,
    signal: new AbortController().signal,
    told: async ({ code }: { code: string }) => void told.push(code),
  };
  const answer = await deviceCode.login({ net, clock, ids: randomIds }, addresses, hooks);
  return {
    waits,
    told,
    answer: answer.kind === "tokens" ? answer.tokens.access.reveal() : answer.code,
    message: answer.kind === "tokens" ? "" : answer.message,
    net,
  };
}

const ROWS: readonly (readonly [
  name: string,
  polls: readonly SimAnswer[],
  waits: readonly number[],
  answer: string,
])[] = [
  ["a code that is confirmed at once", [TOKENS], [5], "access-token-1"],
  ["a code that is confirmed later", [oauth("authorization_pending"), TOKENS], [5, 5], "access-token-1"],
  ["a portal that is asked too often", [oauth("slow_down"), oauth("slow_down"), TOKENS], [5, 10, 15], "access-token-1"],
  ["a limit", [json({}, 429), TOKENS], [5, 10], "access-token-1"],
  ["a fault of the portal", [json({}, 502), TOKENS], [5, 5], "access-token-1"],
  ["a break of the network", [{ fails: new NetError("reset", "broken") }, TOKENS], [5, 5], "access-token-1"],
  ["a refusal", [oauth("access_denied")], [5], "access_denied"],
  ["a code that is over", [oauth("expired_token")], [5], "expired_token"],
  ["something else", [json({ error: { code: "weird", message: "m" } }, 400)], [5], "weird"],
  ["no token", [json({})], [5], "token_incomplete"],
];

for (const [name, polls, waits, answer] of ROWS) {
  test(`the portal is asked as it wants it: ${name}`, async () => {
    const found = await logIn(polls);
    assert.deepEqual([found.waits, found.answer, found.told], [waits, answer, ["AB-12"]]);
  });
}

test("a code that no one confirms is given up when it ends", async () => {
  const { waits, answer } = await logIn([], json({ ...START, expires_in: 22 }));
  assert.deepEqual([waits.length, answer], [4, "timeout"]);
});

const STARTS: readonly (readonly [name: string, start: SimAnswer, answer: string])[] = [
  ["a refusal", json({ error: "invalid_client" }, 401), "invalid_client"],
  ["a fault", json({}, 500), "authorization_failed"],
  ["half an answer", json({ ...START, device_code: undefined }), "authorization_incomplete"],
  ["no JSON", { body: "<html>" }, "authorization_incomplete"],
  ["nobody", { fails: new NetError("refused", "nobody answers") }, "unreachable"],
  ["another address", { status: 307, headers: { location: "https://evil.example/" } }, "authorization_failed"],
];

for (const [name, start, answer] of STARTS) {
  test(`a login does not begin with ${name}`, async () => {
    const found = await logIn([], start);
    assert.deepEqual([found.answer, found.told, found.net.requests.length], [answer, [], 1]);
  });
}

test("requests with secrets follow no redirect", async () => {
  const { net } = await logIn([TOKENS]);
  assert.ok(net.requests.every(({ redirects }) => redirects === false));
});

test("an error of the portal that is called like a member of every object is shown by its name", async () => {
  for (const code of ["constructor", "__proto__", "toString"]) {
    const found = await logIn([oauth(code)]);
    assert.deepEqual([found.answer, found.message], [code, `the portal responded 400: ${code}`]);
  }
});
