import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { bothClients } from "../../../fixtures/both-clients.js";
import { type ForwardProxyOptions, startForwardProxy } from "../../../fixtures/servers/forward-proxy.js";
import { loopback } from "../../../fixtures/servers/shared/loopback.js";
import type { NetRequest, ProxyAddress } from "../../base/net/net.js";
import { systemClock } from "../../base/time/clock.js";
import { createNet, type NetOptions } from "./net.js";
import { parseProxy, proxyText } from "./tunnel.js";

const KINDS = ["http", "socks5"] as const;

const READ: readonly (readonly [text: string, shown: string | undefined])[] = [
  ["http://proxy.test:3128", "http://proxy.test:3128"],
  ["http://proxy.test", "http://proxy.test:80"],
  ["socks5://proxy.test", "socks5://proxy.test:1080"],
  ["socks5h://u:p@10.0.0.1:9", "socks5://10.0.0.1:9"],
  ["socks://[::1]:9", "socks5://[::1]:9"],
  ["ftp://proxy.test", undefined],
  ["proxy.test:3128", undefined],
  ["http://proxy.test/path", undefined],
  ["http://%zz@proxy.test", undefined],
  ["", undefined],
];

for (const [text, shown] of READ) {
  test(`a proxy is read from '${text}'`, () => {
    const read = parseProxy(text);
    assert.equal(read && proxyText(read), shown);
    assert.doesNotMatch(JSON.stringify(read ?? {}), /"p"/);
  });
}

/** A network whose resolver knows one name alone. */
async function network(
  t: TestContext,
  stays: boolean,
  options: Omit<ForwardProxyOptions, "to">,
  names: Readonly<Record<string, string>> = {},
) {
  const served = await loopback(async (request, response) => {
    response.end(`${request.method} ${request.headers.host}`);
  });
  const proxy = await startForwardProxy({ ...options, to: served.port });
  const resolve: NetOptions["resolve"] = async (host) => (names[host] === undefined ? [] : [names[host]]);
  const net = createNet({ clock: systemClock, allowPrivate: () => false, resolve, stays });
  t.after(async () => {
    await net.close();
    await proxy.close();
    await served.close();
  });
  const login = options.login?.split(":").join(":");
  const by = parseProxy(`${options.kind}://${login === undefined ? "" : `${login}@`}proxy.test:${proxy.port}`);
  return { net, proxy, served, by };
}

const get = (proxy: ProxyAddress | undefined, url: string): NetRequest => ({
  method: "GET",
  url,
  headers: {},
  purpose: "model",
  proxy,
});
const HERE = { "proxy.test": "127.0.0.1" };

for (const kind of KINDS) {
  bothClients(`a request goes through a proxy of the kind ${kind}, which resolves the name`, async (t, stays) => {
    const { net, proxy, by } = await network(t, stays, { kind }, HERE);
    for (let n = 0; n < 2; n++) {
      const answer = await net.fetch(get(by, "http://platform.test:8081/x"));
      assert.equal(await answer.text(100), "GET platform.test:8081");
    }
    assert.ok(
      proxy.asked.length >= 1 && proxy.asked.every((one) => one === "platform.test:8081"),
      JSON.stringify(proxy.asked),
    );
  });

  bothClients(`a proxy of the kind ${kind} gets its user and password`, async (t, stays) => {
    const { net, by } = await network(t, stays, { kind, login: "me:word" }, HERE);
    assert.equal((await net.fetch(get(by, "http://platform.test/"))).status, 200);
  });

  bothClients(`a proxy of the kind ${kind} that wants a login is named, and nothing was sent`, async (t, stays) => {
    const { net, by } = await network(t, stays, { kind, login: "me:word" }, HERE);
    const bare = by && { kind: by.kind, host: by.host, port: by.port };
    await assert.rejects(net.fetch(get(bare, "http://platform.test/")), {
      failure: "refused",
      message: /the proxy .*proxy\.test.* wants/,
    });
  });

  bothClients(`a proxy of the kind ${kind} that refuses is named with its answer`, async (t, stays) => {
    const { net, by } = await network(t, stays, { kind, refuse: kind === "http" ? 502 : 5 }, HERE);
    const message = kind === "http" ? /answered 502/ : /cannot reach platform\.test: connection refused/;
    await assert.rejects(net.fetch(get(by, "http://platform.test/")), { failure: "refused", message });
  });

  bothClients(
    `an encrypted request through a proxy of the kind ${kind} names its host inside the tunnel alone`,
    async (t, stays) => {
      const seen: Buffer[] = [];
      const server = createServer((socket: Socket) => {
        socket.on("error", () => socket.destroy());
        socket.once("data", (bytes: Buffer) => {
          seen.push(bytes);
          socket.destroy();
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const proxy = await startForwardProxy({
        kind,
        to: typeof address === "object" && address !== null ? address.port : 0,
      });
      const net = createNet({ clock: systemClock, allowPrivate: () => false, stays });
      t.after(async () => {
        await net.close();
        await proxy.close();
        await new Promise((resolve) => server.close(resolve));
      });
      await assert.rejects(
        net.fetch(get(parseProxy(`${kind}://127.0.0.1:${proxy.port}`), "https://platform.test/secret-path")),
      );
      const [hello] = seen;
      assert.equal(hello?.[0], 22, "a TLS record");
      assert.ok(hello?.includes("platform.test") && !hello.includes("secret-path"));
      assert.deepEqual(proxy.asked, ["platform.test:443"]);
    },
  );
}

bothClients("a proxy that is not there is named, and nothing was sent", async (t, stays) => {
  const { net, proxy, by } = await network(t, stays, { kind: "http" }, HERE);
  await proxy.close();
  await assert.rejects(net.fetch(get(by, "http://platform.test/")), {
    failure: "refused",
    message: /the proxy http:\/\/proxy\.test:\d+ cannot be used/,
  });
});

bothClients(
  "a proxy at a metadata address, and a metadata address behind a proxy, are never asked",
  async (t, stays) => {
    const { net, by } = await network(t, stays, { kind: "http" }, { "proxy.test": "169.254.169.254" });
    await assert.rejects(net.fetch(get(by, "http://platform.test/")), { failure: "blocked" });
    await assert.rejects(net.fetch(get(by, "http://169.254.169.254/")), { failure: "blocked" });
  },
);

bothClients(
  "a request that is stopped while its proxy is silent ends at once and leaves no connection",
  async (t, stays) => {
    const near: Socket[] = [];
    const server = createServer((socket) => near.push(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const net = createNet({ clock: systemClock, allowPrivate: () => false, stays });
    const control = new AbortController();
    t.after(async () => {
      await net.close();
      for (const socket of near) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    const by = parseProxy(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
    const asked = net.fetch({ ...get(by, "http://platform.test/"), signal: control.signal });
    const ended = new Promise((resolve) => {
      server.once("connection", (socket) => {
        socket.resume().once("close", resolve);
        control.abort();
      });
    });
    await assert.rejects(asked, { failure: "aborted" });
    await ended;
  },
);

bothClients("addresses are tried where the name cannot be resolved, and only there", async (t, stays) => {
  const served = await loopback(async (_request, response) => {
    response.end("here");
  });
  const resolve: NetOptions["resolve"] = async (host) => {
    if (host === "known.test") return ["127.0.0.2"];
    throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  };
  const tried: string[] = [];
  const dial: NetOptions["dial"] = (address) => {
    tried.push(address);
    return { address: "127.0.0.1", port: served.port };
  };
  const net = createNet({ clock: systemClock, allowPrivate: () => false, resolve, dial, stays });
  t.after(async () => {
    await net.close();
    await served.close();
  });
  const ask = (host: string, fallbackAddresses: readonly string[]) =>
    net.fetch({ ...get(undefined, `http://${host}/`), fallbackAddresses });
  assert.equal(await (await ask("gone.test", ["127.0.0.3"])).text(100), "here");
  assert.equal(await (await ask("known.test", ["127.0.0.3"])).text(100), "here");
  assert.deepEqual(tried, ["127.0.0.3", "127.0.0.2"]);
  await assert.rejects(ask("gone.test", []), { failure: "dns" });
  await assert.rejects(ask("gone.test", ["169.254.169.254"]), { failure: "blocked" });
});
