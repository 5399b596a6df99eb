import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import type { DashboardLoginStart } from "../../contracts/plugins/dashboard-login.js";
import { createLoginRegistry } from "./plugin-logins.js";

const START = { redirectUri: "http://127.0.0.1/auth/callback", state: "s", nonce: "n", codeChallenge: "c" };
const ANSWER = { params: {}, redirectUri: START.redirectUri, nonce: "n", codeVerifier: "v" };

test("a login whose plugin never answers ends in time, and the plugin hears of it", async () => {
  const clock = manualClock();
  const logins = createLoginRegistry(clock);
  const signals: AbortSignal[] = [];
  const hangs = ({ signal }: Pick<DashboardLoginStart, "signal">) => {
    signals.push(signal);
    return new Promise<never>(() => undefined);
  };
  const provider = { name: "slow", begin: hangs, complete: hangs };
  logins.add(provider);
  const begun = assert.rejects(async () => logins.find("slow")?.begin(START), /begin did not finish within 10 s/);
  clock.advance(10_000);
  await begun;
  const ended = assert.rejects(
    async () => logins.find("slow")?.complete(ANSWER),
    /complete did not finish within 30 s/,
  );
  clock.advance(30_000);
  await ended;
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, true],
  );
});

test("a login that is taken back is gone and reported; the words for token and password are no names", () => {
  const logins = createLoginRegistry(manualClock());
  const call = () => undefined;
  let removed = 0;
  logins.onRemoved(() => removed++);
  const given = (name: string, label: unknown = name) => ({ name, label, begin: call, complete: call });
  const release = logins.add(given("acct"));
  assert.deepEqual(
    logins.list().map(({ name }) => name),
    ["acct"],
  );
  release();
  assert.deepEqual([logins.list(), removed], [[], 1]);
  for (const name of ["password", "token"]) assert.throws(() => logins.add(given(name)), /the name is taken/);
  for (const label of ["", 7, "two\nlines", "x".repeat(201)])
    assert.throws(() => logins.add(given("acct", label)), /label must be a text on one line/);
});
