import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { TestContext } from "node:test";
import { bothClients } from "../../../fixtures/both-clients.js";
import { LOOPBACK_TLS } from "../../../fixtures/loopback-tls.js";
import { NetError, type NetTrust } from "../../base/net/net.js";
import { systemClock } from "../../base/time/clock.js";
import { createNet } from "./net.js";

/** A server whose certificate no one vouches for, and the network that asks it. Names of hosts lead to this machine. */
async function setup(t: TestContext, stays: boolean, dial?: true) {
  const server = createServer(LOOPBACK_TLS, (_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { port } = address;
  const net = createNet({
    clock: systemClock,
    allowPrivate: () => true,
    stays,
    ...(dial === true && {
      resolve: async () => ["203.0.113.7"],
      dial: () => ({ address: "127.0.0.1", port }),
      peer: () => "203.0.113.7",
    }),
  });
  t.after(async () => {
    await net.close();
    server.close();
  });
  const ask = async (host: string, trust?: NetTrust): Promise<string> => {
    try {
      const url = `https://${host}:${port}/`;
      const answer = await net.fetch({ method: "GET", url, headers: {}, purpose: "model", ...(trust && { trust }) });
      return await answer.text(100);
    } catch (error) {
      assert.ok(error instanceof NetError);
      return error.failure;
    }
  };
  return { ask };
}

bothClients(
  "a certificate of an authority of one's own counts where its file is named, and nowhere else",
  async (t, stays) => {
    const { ask } = await setup(t, stays);
    assert.equal(await ask("localhost"), "tls");
    assert.equal(await ask("localhost", { ca: LOOPBACK_TLS.cert }), "hello");
    assert.equal(await ask("localhost"), "tls", "connections are not shared with requests that trust less");
  },
);

bothClients("an unverified certificate is taken of this machine alone", async (t, stays) => {
  assert.equal(await (await setup(t, stays)).ask("127.0.0.1", { insecure: true }), "hello");
  assert.equal(await (await setup(t, stays, true)).ask("portal.example", { insecure: true }), "tls");
});
