import assert from "node:assert/strict";
import { test } from "node:test";
import { problem } from "../../../fixtures/servers/msgl/channel.js";
import { startMsgl } from "../../../fixtures/servers/msgl/server.js";
import { MSGL_SECRET, MSGL_TOKEN, msglWorld } from "../../../fixtures/worlds/msgl-world.js";

const WRONG = [
  { env: { MSGL_CHANNEL_ACCESS_TOKEN: "" }, says: /^MSGL_CHANNEL_ACCESS_TOKEN is not set/ },
  { env: { MSGL_CHANNEL_SECRET: "" }, says: /^MSGL_CHANNEL_SECRET is not set/ },
  { env: { MSGL_CHANNEL_SECRET: "two words" }, says: /^MSGL_CHANNEL_SECRET holds a character/ },
  { env: { MSGL_API_BASE: "http://api.example" }, says: /^MSGL_API_BASE is not encrypted/ },
  { env: { MSGL_DATA_API_BASE: "nothing" }, says: /^MSGL_DATA_API_BASE is not an http URL/ },
  { env: { MSGL_PUBLIC_URL: "http://files.example" }, says: /^MSGL_PUBLIC_URL is not encrypted/ },
  { env: { MSGL_PORT: "70000" }, says: /^MSGL_PORT must be a port/ },
  { env: { MSGL_PORT: "x" }, says: /^MSGL_PORT must be a whole number/ },
  { env: { MSGL_ALLOW_ALL_USERS: "perhaps" }, says: /^MSGL_ALLOW_ALL_USERS must be true/ },
  { env: { MSGL_HOST: "203.0.113.9" }, says: /^MSGL_HOST is not an address of this machine/ },
] as const;

for (const { env, says } of WRONG) {
  test(`a setting that cannot be meant stops the adapter and is named: ${JSON.stringify(env)}`, async (t) => {
    const { reaches } = await msglWorld(t, { env });
    const { error_code: code, error_message: message } = await reaches("fatal");
    assert.equal(code, "config_invalid");
    assert.match(message ?? "", says);
  });
}

test("GW-06 a missing library is named with its version and how to install it", async (t) => {
  const { reaches, server } = await msglWorld(t, { library: () => Promise.reject(new Error("Cannot find package")) });
  const { error_code: code, error_message: message } = await reaches("fatal");
  assert.equal(code, "sdk_missing");
  assert.match(message ?? "", /@line\/bot-sdk 10\.8\.0 .*npm install @line\/bot-sdk@10\.8\.0/);
  assert.equal(server.calls.length, 0);
});

test("the client of the library asks over the product's own connection, with the base address that is set", async (t) => {
  const world = await msglWorld(t);
  await world.reaches("connected");
  assert.deepEqual(
    world.server.calls.map(({ what, status, agent }) => [what, status, agent?.includes("bot-sdk") ?? false]),
    [["info", 200, false]],
  );
});

test("a refused token is reported without showing it, and not tried again", async (t) => {
  const server = await startMsgl({ token: "another", secret: MSGL_SECRET });
  const { reaches } = await msglWorld(t, { server });
  const { error_code: code, error_message: message } = await reaches("fatal");
  assert.equal(code, "auth_failed");
  assert.match(message ?? "", /MSGL_CHANNEL_ACCESS_TOKEN/);
  assert.equal(message?.includes(MSGL_TOKEN), false);
});

test("a server that cannot be reached is tried again, and the adapter connects when it is back", async (t) => {
  const { reaches, clock, server } = await msglWorld(t, { env: { MSGL_API_BASE: "http://127.0.0.1:9" } });
  const { error_code: code } = await reaches("retrying");
  assert.equal(code, "network");
  assert.equal(server.calls.length, 0);
  const other = await startMsgl({ token: MSGL_TOKEN, secret: MSGL_SECRET });
  other.next("info", { do: "answer", ...problem(500, "down") });
  const again = await msglWorld(t, { server: other });
  assert.equal((await again.reaches("retrying")).error_code, "platform_error");
  again.clock.advance(7000);
  await again.reaches("connected");
  assert.ok(clock.waiting >= 0);
});

test("the port is told while it listens, and free after it was let go", async (t) => {
  const { listens, gateway, reaches } = await msglWorld(t);
  const url = await listens();
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  await gateway.supervisor.pause("msgl");
  assert.equal((await reaches("paused")).listen, null);
  await assert.rejects(fetch(`${url}/msgl/webhook/health`));
  for (let storm = 0; storm < 20; storm++) {
    await gateway.supervisor.resume("msgl");
    await reaches("connected");
    await gateway.supervisor.pause("msgl");
    await reaches("paused");
  }
});
