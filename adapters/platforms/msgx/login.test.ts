import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { ACCOUNT, type MsgxState, startMsgx } from "../../../fixtures/servers/msgx/server.js";
import type { LoginResult } from "../../../lib/gateway/adapter/define-platform.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { logIn } from "./login.js";

interface Case {
  readonly scans: readonly string[];
  readonly state?: (state: MsgxState, url: string) => void;
  readonly verifyCode?: string;
  readonly answers?: readonly string[];
}

/** A login with the time moved by hand; what the person saw comes along. */
async function attempt(t: TestContext, { scans, state, verifyCode, answers }: Case) {
  const server = await startMsgx({ token: "fresh-token" });
  server.state.scans.splice(0, 1, ...scans);
  state?.(server.state, server.url);
  const clock = manualClock();
  const net = createNet({ clock, allowPrivate: () => true });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  const seen: string[] = [];
  const left = [...(answers ?? [])];
  const env = { MSGX_BASE_URL: server.url };
  let over = false;
  const login = logIn({
    settings: platformSettings("msgx", { env, raw: () => undefined }),
    others: (prefix) => platformSettings(prefix, { env: {}, raw: () => undefined }),
    net,
    clock,
    ids: countingIds(1),
    version: "1.2.3",
    verifyCode,
    signal: new AbortController().signal,
    code: async (content) => void seen.push(content),
    say: async (line) => void seen.push(line),
    ask: answers === undefined ? undefined : async () => left.shift() ?? "",
  }).finally(() => {
    over = true;
  });
  const result = login.then(
    (value): LoginResult | Error => value,
    (error: Error) => error,
  );
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(500);
  }
  return { result: await result, seen, server };
}

test("a code that is scanned and confirmed gives account and token", async (t) => {
  const { result, seen } = await attempt(t, { scans: ["wait", "scaned", "scaned", "confirmed"] });
  assert.deepEqual(result, {
    account: ACCOUNT,
    variables: { ACCOUNT_ID: ACCOUNT, TOKEN: "fresh-token" },
    message: `logged in as ${ACCOUNT}`,
  });
  assert.deepEqual(seen, ["https://example.org/scan/code-1", "Scanned. Confirm it on the phone."]);
});

test("an address that the platform gives is stored when it is the platform's own, and refused otherwise", async (t) => {
  const own = await attempt(t, {
    scans: ["confirmed"],
    state: (state) => (state.baseurl = "https://a.weixin.qq.com/"),
  });
  assert.ok(!(own.result instanceof Error));
  assert.equal(own.result.variables["BASE_URL"], "https://a.weixin.qq.com");
  const foreign = await attempt(t, { scans: ["confirmed"], state: (state) => (state.baseurl = "https://example.org") });
  assert.match(String(foreign.result), /foreign host/);
});

test("digits are asked for, or taken from the command line, and without either the person is told", async (t) => {
  const asked = await attempt(t, {
    scans: ["need_verifycode", "need_verifycode", "need_verifycode", "confirmed"],
    answers: ["9", "1234"],
  });
  assert.ok(!(asked.result instanceof Error));
  assert.deepEqual(asked.seen.slice(1), ["These digits are wrong.", "Scanned. Confirm it on the phone."]);
  const given = await attempt(t, { scans: ["need_verifycode", "need_verifycode", "confirmed"], verifyCode: "1234" });
  assert.ok(!(given.result instanceof Error));
  const neither = await attempt(t, { scans: ["need_verifycode"] });
  assert.match(String(neither.result), /digits that the phone shows/);
});

test("another host of the platform is followed, a foreign one is not", async (t) => {
  const followed = await attempt(t, {
    scans: ["scaned_but_redirect", "confirmed"],
    state: (state, url) => (state.redirect = url),
  });
  assert.ok(!(followed.result instanceof Error));
  const foreign = await attempt(t, {
    scans: ["scaned_but_redirect"],
    state: (state) => (state.redirect = "weixin.qq.com.example.org"),
  });
  assert.match(String(foreign.result), /foreign host/);
});

test("a bot that is bound already is a success that changes nothing", async (t) => {
  const { result } = await attempt(t, { scans: ["binded_redirect"] });
  assert.ok(!(result instanceof Error));
  assert.deepEqual(result.variables, {});
});

test("three codes may expire, blocked digits end it, and no one waits longer than eight minutes", async (t) => {
  const expired = await attempt(t, { scans: ["expired"] });
  assert.deepEqual([/3 codes expired/.test(String(expired.result)), expired.server.state.codes], [true, 3]);
  const blocked = await attempt(t, { scans: ["verify_code_blocked"] });
  assert.match(String(blocked.result), /no more digits/);
  const nobody = await attempt(t, { scans: ["wait"] });
  assert.match(String(nobody.result), /within 8 minutes/);
});
