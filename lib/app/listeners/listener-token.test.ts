import assert from "node:assert/strict";
import { test } from "node:test";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { hostToBind, refuseUntold, tokenFor } from "./listener-token.js";

const GIVEN = "g".repeat(32);

for (const host of ["localhost", "127.0.0.1", "127.9.8.7", "::1", "[::1]", "LocalHost."])
  test(`${host} is of this machine alone and needs no token`, () => {
    assert.equal(tokenFor(hostToBind(host), GIVEN, countingIds()), undefined);
  });

for (const host of ["0.0.0.0", "::", "192.168.1.7", "box.lan", "127.0.0.1.evil.example", "localhost.example"])
  test(`${host} can be reached by others and needs a token`, () => {
    const made = tokenFor(hostToBind(host), undefined, countingIds());
    assert.equal(made?.made, true);
    assert.throws(() => refuseUntold(host, made), { code: "E_CONFIG", message: /AGENT_PROXY_TOKEN/ });
    const given = tokenFor(hostToBind(host), GIVEN, countingIds());
    assert.deepEqual(given, { text: GIVEN, made: false });
    refuseUntold(host, given);
  });

for (const token of ["g".repeat(31), "g".repeat(513), `${GIVEN} with spaces`, `${GIVEN}\u00e9`])
  test(`a token like ${JSON.stringify(token.slice(0, 50))} is refused`, () => {
    assert.throws(() => tokenFor("0.0.0.0", token, countingIds()), {
      code: "E_USAGE",
      message: /AGENT_PROXY_TOKEN must be/,
    });
  });

for (const host of ["", "a b", "http://x", "x:80", "[::1", "a/b", "fe80::1%eth0"])
  test(`${JSON.stringify(host)} is no host to listen on`, () => {
    assert.throws(() => hostToBind(host), { code: "E_USAGE" });
  });
